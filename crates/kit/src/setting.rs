//! A setting is one row: key, type, accepted values, default, description, when it applies, who may write, platforms.
//!
//! Rows are declared with [`settings!`](crate::settings); everything else about settings (validation, the catalog, JSON
//! Schema, the reference page, TypeScript keys, completion) is derived from [`Spec`]. A default outside its own range does
//! not compile.

mod order;
mod schema;
mod title;
mod validate;

pub use order::Position;
pub use validate::canonical;

use crate::caller::Kind;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::marker::PhantomData;

/// A choice of a select, with its meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// As stored and sent.
    pub value: &'static str,
    /// One sentence, or empty if the word is enough.
    pub doc: &'static str,
}

/// The format of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    /// Anything.
    Free,
    /// `HH:MM`, 00:00 to 23:59.
    TimeOfDay,
    /// Time zone name, or empty.
    TimeZone,
    /// Decimal digits with an optional leading minus.
    Digits,
}

/// Members of a list or a map.
pub const MEMBERS_MAX: usize = 1_000;
/// Bytes of a list, a map or an object as JSON: every change records the whole value, before and after.
pub const VALUE_BYTES_MAX: usize = 64 * 1024;

/// The accepted values of a setting, or of a part of one.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// `true` or `false`.
    Toggle,
    /// A whole number from `min` to `max`, both included, in steps of `step` counted from zero.
    Int { min: i64, max: i64, step: i64 },
    /// A number from `min` to `max`, both included.
    Number { min: f64, max: f64 },
    /// At most `max` characters (Unicode scalar values).
    Text { max: u32, format: Format, nullable: bool },
    /// One of the words.
    Select(&'static [Choice]),
    /// One of the numbers.
    OneOf(&'static [i64]),
    /// An array of at most [`MEMBERS_MAX`] members with the shape `of`; `unique` rejects duplicates.
    List { of: &'static Shape, unique: bool },
    /// An object of at most [`MEMBERS_MAX`] members with any keys and values with the shape `of`.
    Map { of: &'static Shape },
    /// An object of only these fields. Fields that aren't required can be omitted.
    Object(&'static [Field]),
}

/// A field of an object-shaped setting.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name, as stored and sent.
    pub name: &'static str,
    /// Its accepted values.
    pub shape: Shape,
    /// Whether it must be present and not empty.
    pub required: bool,
}

impl Field {
    /// An optional field.
    pub const fn new(name: &'static str, shape: Shape) -> Field {
        Field { name, shape, required: false }
    }
    /// Makes the field required.
    pub const fn required(self) -> Field {
        Field { required: true, ..self }
    }
}

/// A default, as a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Default {
    /// For a toggle.
    Bool(bool),
    /// For a whole number.
    Int(i64),
    /// For a number.
    Number(f64),
    /// For text and selects.
    Text(&'static str),
    /// For nullable text.
    Null,
    /// For lists of words.
    Words(&'static [&'static str]),
    /// For an object of toggles.
    Flags(&'static [(&'static str, bool)]),
    /// `[]` or `{}`.
    Empty,
}

/// When a change takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Applies {
    /// Immediately.
    Now,
    /// In new sessions.
    NextSession,
    /// At the next start of Pilothouse.
    NextStart,
    /// At the next launch of a cloud machine.
    NextCloudLaunch,
}

/// The specification's three desktop platforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Platform {
    /// Windows.
    W,
    /// macOS.
    M,
    /// Linux.
    L,
}

impl Platform {
    /// The platform that this program was built for.
    pub const HERE: Platform = if cfg!(windows) {
        Platform::W
    } else if cfg!(target_os = "macos") {
        Platform::M
    } else {
        Platform::L
    };
    /// All three.
    pub const ALL: &'static [Platform] = &[Platform::W, Platform::M, Platform::L];
    /// Its everyday name.
    pub fn name(self) -> &'static str {
        match self {
            Platform::W => "Windows",
            Platform::M => "macOS",
            Platform::L => "Linux",
        }
    }
}

/// One row of the catalog, without its Rust type.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The specification's key, verbatim; also the Rust identifier.
    pub key: &'static str,
    /// Its description.
    pub doc: &'static str,
    /// One of the specification's areas.
    pub area: &'static str,
    /// The section within the area.
    pub section: &'static str,
    /// The specification's label, if it differs from the shape's own (`unknown`).
    pub label: Option<&'static str>,
    /// Accepted values.
    pub shape: Shape,
    /// The value until the user sets one.
    pub default: Default,
    /// Whether the specification states the default.
    pub default_stated: bool,
    /// Other names that aren't in its key or description, separated by commas; empty for none.
    pub also_called: &'static str,
    /// Unit of a number, `s`, `%`, `USD`; empty for none.
    pub unit: &'static str,
    /// When a change takes effect.
    pub applies: Applies,
    /// Platforms where it has an effect.
    pub platforms: &'static [Platform],
    /// Whether sessions' scoped tokens can write it.
    pub agents_may_write: bool,
    /// Whether it's only stored and never enforced, as specified.
    pub stored_only: bool,
    /// The toggle that must be on for this one to have an effect.
    pub requires: Option<&'static Setting<bool>>,
    /// One value for the whole installation, set by the first account's owner.
    pub installation: bool,
    /// An earlier key whose stored value is still read.
    pub was: Option<&'static str>,
    /// Its position in the specification.
    pub position: Position,
}

/// A setting with the Rust type of its value.
#[derive(Debug)]
pub struct Setting<T> {
    /// Everything but the type.
    pub spec: Spec,
    of: PhantomData<fn() -> T>,
}

/// A Rust type that a setting can have.
pub trait SettingValue: Sized {
    /// Reads an accepted JSON value; `None` only for invalid values.
    fn from_json(value: &Value) -> Option<Self>;
}

impl SettingValue for bool {
    fn from_json(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}
impl SettingValue for i64 {
    fn from_json(value: &Value) -> Option<Self> {
        // JSON Schema counts 2.0 as an integer, and so do we.
        value.as_i64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64))
    }
}
impl SettingValue for f64 {
    fn from_json(value: &Value) -> Option<Self> {
        value.as_f64()
    }
}
impl SettingValue for String {
    fn from_json(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}
impl SettingValue for Value {
    fn from_json(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}
impl<T: SettingValue> SettingValue for Option<T> {
    fn from_json(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_json(value).map(Some) }
    }
}
impl<T: SettingValue> SettingValue for Vec<T> {
    fn from_json(value: &Value) -> Option<Self> {
        value.as_array()?.iter().map(T::from_json).collect()
    }
}

/// A Rust enum whose variants are the words of a select; made by [`choices!`](crate::choices).
pub trait Choices: Sized + Copy + 'static {
    /// Every word, in the order shown.
    const ALL: &'static [Choice];
    /// The word of this variant.
    fn word(self) -> &'static str;
}

/// Declares an enum of accepted words: `choices! { Density { /// Tight rows. Dense = "dense", ... } }`.
#[macro_export]
macro_rules! choices {
    ($($(#[doc = $tdoc:literal])* $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $word:literal),+ $(,)? })+) => {$(
        $(#[doc = $tdoc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum $name { $($(#[doc = $doc])* $variant),+ }
        impl $name {
            /// The word as stored and sent.
            pub const fn as_str(self) -> &'static str { match self { $($name::$variant => $word),+ } }
        }
        impl $crate::setting::Choices for $name {
            const ALL: &'static [$crate::setting::Choice] =
                &[$($crate::setting::Choice { value: $word, doc: concat!("" $(, $doc)*) }),+];
            fn word(self) -> &'static str { self.as_str() }
        }
        impl $crate::setting::SettingValue for $name {
            fn from_json(value: &$crate::serde_json::Value) -> Option<Self> {
                match value.as_str()? { $($word => Some($name::$variant),)+ _ => None }
            }
        }
    )+};
}

/// Declares settings, and `ALL`, the list of them: `settings! { /// What it does. \n key: Type = shape(default).modifier(); }`.
/// Area and section are the specification's. Tests declare rows that it does not have within `"Area" / "section" { … }`.
#[macro_export]
macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $key:ident : $ty:ty = $row:expr;)+) => {
        $(
            $(#[doc = $doc])+
            #[allow(non_upper_case_globals)]
            pub static $key: $crate::setting::Setting<$ty> =
                ($row).named(stringify!($key), concat!($($doc),+));
        )+
        /// Every setting declared here.
        pub static ALL: &[&$crate::setting::Spec] = &[$(&$key.spec),+];
    };
    ($($area:literal / $section:literal { $($(#[doc = $doc:literal])+ $key:ident : $ty:ty = $row:expr;)+ })+) => {
        $($(
            $(#[doc = $doc])+
            #[allow(non_upper_case_globals)]
            pub static $key: $crate::setting::Setting<$ty> =
                ($row).placed(stringify!($key), concat!($($doc),+), $area, $section);
        )+)+
        /// Every setting declared here.
        pub static ALL: &[&$crate::setting::Spec] = &[$($(&$key.spec),+),+];
    };
}

const fn row<T>(shape: Shape, default: Default) -> Setting<T> {
    Setting {
        spec: Spec {
            key: "",
            doc: "",
            area: "",
            section: "",
            label: None,
            shape,
            default,
            default_stated: false,
            also_called: "",
            unit: "",
            applies: Applies::Now,
            platforms: Platform::ALL,
            agents_may_write: false,
            stored_only: false,
            requires: None,
            installation: false,
            was: None,
            position: order::LAST,
        },
        of: PhantomData,
    }
}

/// On or off.
pub const fn toggle(default: bool) -> Setting<bool> {
    row(Shape::Toggle, Default::Bool(default))
}

/// A whole number; the default must lie in the range.
pub const fn int(range: std::ops::RangeInclusive<i64>, default: i64) -> Setting<i64> {
    int_step(range, 1, default)
}

/// A whole number in steps counted from zero; the default must lie in the range and on a step.
pub const fn int_step(range: std::ops::RangeInclusive<i64>, step: i64, default: i64) -> Setting<i64> {
    let (min, max) = (*range.start(), *range.end());
    assert!(min <= default && default <= max, "default outside its range");
    assert!(step >= 1 && default % step == 0 && min % step == 0, "default or range off its step");
    row(Shape::Int { min, max, step }, Default::Int(default))
}

/// A number with a fraction; the default must lie in the range. Pass `f64::INFINITY` where no maximum is stated.
pub const fn number(min: f64, max: f64, default: f64) -> Setting<f64> {
    assert!(min <= default && default <= max, "default outside its range");
    row(Shape::Number { min, max }, Default::Number(default))
}

/// Text of at most `max` characters.
pub const fn text(max: u32, default: &'static str) -> Setting<String> {
    assert!(default.len() <= max as usize, "default longer than its limit");
    row(Shape::Text { max, format: Format::Free, nullable: false }, Default::Text(default))
}

/// Text that may also be null, which is its default.
pub const fn nullable_text(max: u32) -> Setting<Option<String>> {
    row(Shape::Text { max, format: Format::Free, nullable: true }, Default::Null)
}

/// A time of day, `HH:MM`.
pub const fn time_of_day(default: &'static str) -> Setting<String> {
    assert!(is_time_of_day(default.as_bytes()), "default is no time of day");
    row(Shape::Text { max: 5, format: Format::TimeOfDay, nullable: false }, Default::Text(default))
}

/// A time zone by its database name, or empty for the system's.
pub const fn time_zone(max: u32) -> Setting<String> {
    row(Shape::Text { max, format: Format::TimeZone, nullable: false }, Default::Text(""))
}

/// One word of an enum made with [`choices!`](crate::choices).
pub const fn select<T: Choices>(default: &'static str) -> Setting<T> {
    let mut i = 0;
    let mut found = false;
    while i < T::ALL.len() {
        found |= same(T::ALL[i].value, default);
        i += 1;
    }
    assert!(found, "default is none of the choices");
    row(Shape::Select(T::ALL), Default::Text(default))
}

/// One of a few numbers.
pub const fn one_of(choices: &'static [i64], default: i64) -> Setting<i64> {
    let mut i = 0;
    let mut found = false;
    while i < choices.len() {
        found |= choices[i] == default;
        i += 1;
    }
    assert!(found, "default is none of the choices");
    row(Shape::OneOf(choices), Default::Int(default))
}

/// A list; empty by default.
pub const fn list<T>(of: &'static Shape) -> Setting<Vec<T>> {
    row(Shape::List { of, unique: true }, Default::Empty)
}

/// A list of words with a default, whose words must be accepted and unique.
pub const fn list_of_words<T>(of: &'static Shape, default: &'static [&'static str]) -> Setting<Vec<T>> {
    assert!(default.len() <= MEMBERS_MAX, "default has too many members");
    let mut i = 0;
    while i < default.len() {
        assert!(takes_word(of, default[i]), "default holds a word that is not taken");
        let mut earlier = 0;
        while earlier < i {
            assert!(!same(default[earlier], default[i]), "default repeats a word");
            earlier += 1;
        }
        i += 1;
    }
    row(Shape::List { of, unique: true }, Default::Words(default))
}

/// A list of objects; empty by default, repeats allowed.
pub const fn list_of_objects(of: &'static Shape) -> Setting<Value> {
    row(Shape::List { of, unique: false }, Default::Empty)
}

/// A map from any name to `of`; empty by default.
pub const fn map(of: &'static Shape) -> Setting<Value> {
    row(Shape::Map { of }, Default::Empty)
}

/// An object of toggles; the default names each at most once, and nothing else.
pub const fn flags(fields: &'static [Field], default: &'static [(&'static str, bool)]) -> Setting<Value> {
    let mut i = 0;
    while i < default.len() {
        let (mut field, mut found) = (0, false);
        while field < fields.len() {
            found |= matches!(fields[field].shape, Shape::Toggle) && same(fields[field].name, default[i].0);
            field += 1;
        }
        assert!(found, "default names no toggle of the object");
        let mut earlier = 0;
        while earlier < i {
            assert!(!same(default[earlier].0, default[i].0), "default names a toggle twice");
            earlier += 1;
        }
        i += 1;
    }
    row(Shape::Object(fields), Default::Flags(default))
}

/// `HH:MM`, 00:00 to 23:59.
const fn is_time_of_day(text: &[u8]) -> bool {
    matches!(text, [h1 @ b'0'..=b'2', h2 @ b'0'..=b'9', b':', b'0'..=b'5', b'0'..=b'9'] if *h1 < b'2' || *h2 < b'4')
}

/// Whether this shape accepts the word.
const fn takes_word(shape: &Shape, word: &str) -> bool {
    match shape {
        Shape::Select(choices) => {
            let mut i = 0;
            while i < choices.len() {
                if same(choices[i].value, word) {
                    return true;
                }
                i += 1;
            }
            false
        }
        Shape::Text { max, format: Format::Free, .. } => word.len() <= *max as usize,
        _ => false,
    }
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

macro_rules! modifiers {
    ($($(#[$m:meta])* $name:ident($($arg:ident: $ty:ty)?) => $field:ident = $value:expr;)+) => {
        impl<T> Setting<T> {$(
            $(#[$m])*
            pub const fn $name(mut self $(, $arg: $ty)?) -> Self {
                self.spec.$field = $value;
                self
            }
        )+}
    };
}

modifiers! {
    /// The specification states this default.
    stated() => default_stated = true;
    /// Other names, for searches: `theme, appearance`.
    also_called(names: &'static str) => also_called = names;
    /// Unit of a number, `s`, `%`, `USD`.
    unit(unit: &'static str) => unit = unit;
    /// When a change takes effect. Default: immediately.
    applies(applies: Applies) => applies = applies;
    /// Limits its effect to these platforms.
    only_on(platforms: &'static [Platform]) => platforms = platforms;
    /// Lets sessions' scoped tokens write it.
    agents_may_write() => agents_may_write = true;
    /// Marks it as only stored.
    stored_only() => stored_only = true;
    /// Limits its effect to while this toggle is on.
    requires(on: &'static Setting<bool>) => requires = Some(on);
    /// One value for the whole installation.
    installation() => installation = true;
    /// The specification's own label for its type.
    labeled(label: &'static str) => label = Some(label);
    /// An earlier key whose stored value is still read.
    was(key: &'static str) => was = Some(key);
}

impl<T> Setting<T> {
    /// Used by [`settings!`](crate::settings): a row of the specification.
    pub const fn named(mut self, key: &'static str, doc: &'static str) -> Self {
        self.spec.position = order::position(key);
        let section = &order::ORDER[self.spec.position.0];
        self.placed(key, doc, section.area, section.name)
    }

    /// Used by [`settings!`](crate::settings): a row in a section of its own.
    pub const fn placed(
        mut self,
        key: &'static str,
        doc: &'static str,
        area: &'static str,
        section: &'static str,
    ) -> Self {
        self.spec.key = key;
        self.spec.doc = doc;
        self.spec.area = area;
        self.spec.section = section;
        self
    }
}

impl<T: SettingValue> Setting<T> {
    /// Reads a stored value, or the default if it isn't valid.
    pub fn read(&self, stored: Option<&Value>) -> T {
        stored
            .filter(|value| self.spec.check(value).is_ok())
            .and_then(T::from_json)
            .or_else(|| T::from_json(&self.spec.default_json()))
            .expect("a default reads as its own type; a test over the catalog holds this")
    }
}

impl Spec {
    /// The specification's type label.
    pub fn type_label(&self) -> &'static str {
        self.label.unwrap_or(match self.shape {
            Shape::Toggle => "toggle",
            Shape::Int { .. } | Shape::Number { .. } | Shape::OneOf(_) => "number",
            Shape::Text { .. } => "text",
            Shape::Select(_) => "select",
            Shape::List { .. } => "list",
            Shape::Map { .. } => "map",
            Shape::Object(_) => "object",
        })
    }

    /// The key as a title: `sessionCpuCapEnabled` is "Session CPU cap". Omits what the value shows (on or off, its
    /// unit).
    pub fn title(&self) -> String {
        title::from_spec(self)
    }

    /// The kinds of caller that can write it.
    pub fn writable_by(&self) -> Vec<Kind> {
        let mut kinds = vec![Kind::Owner, Kind::Cli];
        if self.agents_may_write {
            kinds.push(Kind::Agent);
        }
        kinds
    }

    /// The default as JSON.
    pub fn default_json(&self) -> Value {
        match self.default {
            Default::Bool(b) => b.into(),
            Default::Int(n) => n.into(),
            Default::Number(n) if n.fract() == 0.0 => (n as i64).into(),
            Default::Number(n) => n.into(),
            Default::Text(t) => t.into(),
            Default::Null => Value::Null,
            Default::Words(words) => words.to_vec().into(),
            Default::Flags(flags) => Value::Object(flags.iter().map(|(k, v)| (k.to_string(), (*v).into())).collect()),
            Default::Empty if matches!(self.shape, Shape::List { .. }) => Value::Array(Vec::new()),
            Default::Empty => Value::Object(std::default::Default::default()),
        }
    }
}

#[cfg(test)]
mod tests;
