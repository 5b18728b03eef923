//! XML of servers, by names without namespaces.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Elements within each other at most.
const DEPTH_MAX: usize = 40;
/// Elements of a document at most.
const ELEMENTS_MAX: usize = 2_000_000;

/// An element.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    /// The first child of this name.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The first element of this name anywhere in it.
    pub(crate) fn find(&self, name: &str) -> Option<&Element> {
        self.children.iter().find_map(|child| if child.name == name { Some(child) } else { child.find(name) })
    }

    /// All children of this name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Its trimmed text.
    pub(crate) fn trimmed(&self) -> &str {
        self.text.trim()
    }

    /// The text of a child; empty without one.
    pub(crate) fn text_of(&self, name: &str) -> &str {
        self.child(name).map_or("", Element::trimmed)
    }
}

/// Reads a document; `None` if it isn't XML.
pub(crate) fn parse(text: &str) -> Option<Element> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let (mut open, mut count) = (vec![Element::default()], 0);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                count += 1;
                if open.len() > DEPTH_MAX || count > ELEMENTS_MAX {
                    return None;
                }
                open.push(element(&start));
            }
            Event::End(_) => {
                let done = open.pop()?;
                open.last_mut()?.children.push(done);
            }
            Event::Text(text) => open.last_mut()?.text.push_str(&text.xml10_content()),
            Event::CData(text) => open.last_mut()?.text.push_str(&text.xml10_content()),
            Event::GeneralRef(named) => {
                let sign = match named.resolve_char_ref().ok()? {
                    Some(sign) => Some(sign),
                    None => match &*named.xml10_content() {
                        "lt" => Some('<'),
                        "gt" => Some('>'),
                        "amp" => Some('&'),
                        "quot" => Some('"'),
                        "apos" => Some('\''),
                        _ => None,
                    },
                };
                open.last_mut()?.text.extend(sign);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if open.len() != 1 { None } else { open.pop()?.children.into_iter().next() }
}

fn element(start: &BytesStart<'_>) -> Element {
    let mut attributes = start.attributes();
    attributes.with_checks(false);
    let attributes = attributes.flatten().filter_map(|attribute| {
        let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?;
        Some((attribute.key.local_name().as_ref().to_owned(), value.into_owned()))
    });
    Element { attributes: attributes.collect(), name: start.local_name().as_ref().to_owned(), ..Element::default() }
}

/// A text within XML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
