//! Reading tables of other tools: detects the file type, encoding, row format, exporting tool, and column types.
//!
//! Nothing is stored here; boards decide how to import a file. Files are untrusted: each is read within limits, and
//! skipped data is reported.

pub mod charset;
mod decode;
pub mod dialect;
pub mod errors;
pub mod fault;
mod fold;
pub mod infer;
pub mod json;
pub mod order;
mod parts;
pub mod problems;
pub mod sniff;
mod strange;
pub mod tools;
pub mod words;
pub mod workbook;

/// Columns that a file may have; those over a board's limit must be skipped by the caller's choice.
pub const FILE_COLUMNS_MAX: usize = 16_384;
