//! Reading tables of other tools: what a file is, how its text is to be decoded and its rows to be read, which tool wrote it, and what
//! type each of its columns has.
//!
//! Nothing here keeps anything: boards decide what becomes of a file, and store it. Files are hostile: each is read within limits, and
//! what is left out of it is said.

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
