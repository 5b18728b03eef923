//! The forms in which a whole board is sent.

use crate::board::{BoardRecord, ColumnRecord, GroupRecord};
use crate::cells::Column;
use crate::directory::MemberRecord;
use crate::ids;
use crate::links::{Linked, Marks};
use kit::error;
use serde::Serialize;
/// Media type of the Arrow form.
pub const ARROW: &str = "application/vnd.apache.arrow.stream";

pub(crate) const JSON: &str = "application/json";

/// Largest answer of either form; a board past it is read in pages.
pub const FULL_BYTES_MAX: usize = 1024 * 1024 * 1024;

/// The two forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    Json,
    Arrow,
}

impl Form {
    /// The form that an `Accept` header prefers: the higher quality, then the more exact range, then JSON.
    pub(crate) fn preferred(accept: Option<&str>) -> Form {
        let Some(accept) = accept else { return Form::Json };
        let (mut json, mut arrow) = ((0, 0), (0, 0));
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let media = parts.next().unwrap_or_default().to_ascii_lowercase();
            let quality = parts.find_map(|p| p.strip_prefix("q=").or(p.strip_prefix("Q="))).unwrap_or("1");
            let quality = quality.parse::<f32>().map_or(0, |q| (q.clamp(0.0, 1.0) * 1000.0) as u32);
            let exactness = match media.as_str() {
                "*/*" => 1,
                "application/*" => 2,
                _ => 3,
            };
            let general = exactness < 3;
            for (form, name) in [(&mut json, JSON), (&mut arrow, ARROW)] {
                // The most exact range that names a form decides its quality.
                if (general || media == name) && exactness > form.1 {
                    *form = (quality, exactness);
                }
            }
        }
        if arrow.0 > 0 && arrow > json { Form::Arrow } else { Form::Json }
    }

    pub(crate) fn media(self) -> &'static str {
        match self {
            Form::Json => JSON,
            Form::Arrow => ARROW,
        }
    }
}

/// Position of each column in the board by the number in its id.
pub(crate) fn columns_by_number(columns: &[Column]) -> Vec<Option<usize>> {
    let mut by_number = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let Some(number) = ids::number_in(&column.id, b'c') else { continue };
        if by_number.len() <= number {
            by_number.resize(number + 1, None);
        }
        by_number[number] = Some(index);
    }
    by_number
}

/// The board's data apart from its items.
#[derive(Serialize)]
pub(crate) struct Head {
    pub(crate) board: BoardRecord,
    pub(crate) groups: Vec<GroupRecord>,
    pub(crate) columns: Vec<ColumnRecord>,
    pub(crate) members: Vec<MemberRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) linked: Vec<Linked>,
    #[serde(rename = "linkedAt", skip_serializing_if = "Marks::is_empty")]
    pub(crate) linked_at: Marks,
}

pub(crate) fn too_large() -> kit::Error {
    error::TOO_LARGE
        .error(format!("The board is over {FULL_BYTES_MAX} bytes in this form; read its items in pages instead."))
}
