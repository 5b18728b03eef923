//! The contract.
