//! Supported encodings of tables, by the names in previews.

use encoding_rs::Encoding;
use schemars::JsonSchema;
use serde::Deserialize;

macro_rules! charsets {
    ($($variant:ident $name:literal $encoding:ident;)+) => {
        /// A text encoding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
        #[allow(missing_docs)]
        pub enum Charset {
            $(#[serde(rename = $name)] $variant,)+
        }

        impl Charset {
            pub(crate) fn encoding(self) -> &'static Encoding {
                match self {
                    $(Charset::$variant => encoding_rs::$encoding,)+
                }
            }
        }

        #[cfg(test)]
        const ALL: &[(Charset, &str)] = &[$((Charset::$variant, $name),)+];
    };
}

charsets! {
    Utf8 "UTF-8" UTF_8;
    Utf16Le "UTF-16LE" UTF_16LE;
    Utf16Be "UTF-16BE" UTF_16BE;
    Windows1252 "windows-1252" WINDOWS_1252;
    Macintosh "macintosh" MACINTOSH;
    Windows1250 "windows-1250" WINDOWS_1250;
    Windows1251 "windows-1251" WINDOWS_1251;
    Windows1253 "windows-1253" WINDOWS_1253;
    Windows1254 "windows-1254" WINDOWS_1254;
    Windows1255 "windows-1255" WINDOWS_1255;
    Windows1256 "windows-1256" WINDOWS_1256;
    Windows1257 "windows-1257" WINDOWS_1257;
    Windows1258 "windows-1258" WINDOWS_1258;
    Windows874 "windows-874" WINDOWS_874;
    Iso2 "ISO-8859-2" ISO_8859_2;
    Iso3 "ISO-8859-3" ISO_8859_3;
    Iso4 "ISO-8859-4" ISO_8859_4;
    Iso5 "ISO-8859-5" ISO_8859_5;
    Iso6 "ISO-8859-6" ISO_8859_6;
    Iso7 "ISO-8859-7" ISO_8859_7;
    Iso8 "ISO-8859-8" ISO_8859_8;
    Iso8I "ISO-8859-8-I" ISO_8859_8_I;
    Iso10 "ISO-8859-10" ISO_8859_10;
    Iso13 "ISO-8859-13" ISO_8859_13;
    Iso14 "ISO-8859-14" ISO_8859_14;
    Iso15 "ISO-8859-15" ISO_8859_15;
    Iso16 "ISO-8859-16" ISO_8859_16;
    Ibm866 "IBM866" IBM866;
    Koi8R "KOI8-R" KOI8_R;
    Koi8U "KOI8-U" KOI8_U;
    MacCyrillic "x-mac-cyrillic" X_MAC_CYRILLIC;
    ShiftJis "Shift_JIS" SHIFT_JIS;
    EucJp "EUC-JP" EUC_JP;
    Iso2022Jp "ISO-2022-JP" ISO_2022_JP;
    EucKr "EUC-KR" EUC_KR;
    Gbk "GBK" GBK;
    Gb18030 "gb18030" GB18030;
    Big5 "Big5" BIG5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_is_called_as_previews_call_it() {
        for (charset, name) in ALL {
            assert_eq!(charset.encoding().name(), *name);
        }
    }
}
