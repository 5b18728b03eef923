//! What columns have in common by what their cells hold, whatever their type.

/// The types of columns that are filtered and mapped alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Text,
    Number,
    Label,
    Tags,
    People,
    Date,
    Checkbox,
    /// Items of a board.
    Links,
    /// Attached files, of which the engine knows the names.
    Files,
    Opaque,
}

impl Family {
    pub const ALL: [Family; 10] = [
        Family::Text,
        Family::Number,
        Family::Label,
        Family::Tags,
        Family::People,
        Family::Date,
        Family::Checkbox,
        Family::Links,
        Family::Files,
        Family::Opaque,
    ];

    pub fn from_type_name(type_name: &str) -> Family {
        match type_name {
            "text" | "longText" | "link" | "email" | "phone" => Family::Text,
            "number" | "currency" | "rating" | "progress" => Family::Number,
            "status" | "dropdown" => Family::Label,
            "tags" => Family::Tags,
            "people" | "createdBy" | "updatedBy" => Family::People,
            "date" | "timeline" | "createdAt" | "updatedAt" => Family::Date,
            "itemLink" | "sprint" => Family::Links,
            "checkbox" => Family::Checkbox,
            "file" => Family::Files,
            _ => Family::Opaque,
        }
    }
}
