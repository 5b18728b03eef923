//! Errors of instruction files.

kit::error_codes! {
    INSTRUCTION_SYNC_OFF = 403 "instruction-sync-off" "Instruction file sync is off" : "The setting agentInstructionsSyncEnabled is off. Turn it on to replace files with copies.";
    INSTRUCTION_FILE_CHANGED = 409 "instruction-file-changed" "Instruction file changed" : "The file changed since you looked at it. Compare it again, then decide.";
    INSTRUCTION_FILE_BLOCKED = 409 "instruction-file-blocked" "Instruction file can't be used" : "The file or its source can't be read or written; the detail says why. Fix that, then retry.";
}
