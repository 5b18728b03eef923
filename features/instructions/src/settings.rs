//! Settings of instruction files.

use kit::choices;
use kit::setting::{Choices, Shape, list, select, toggle};

choices! {
    /// File that the others are copied from.
    Canonical {
        /// The primary engine's file.
        Primary = "PRIMARY.md",
        /// The file that several tools share.
        Agents = "AGENTS.md",
    }
    /// How git treats the copies.
    GitMode {
        /// Hidden from git by the repository's exclude list.
        Local = "local",
        /// Committed.
        Committed = "committed",
    }
    /// Files that other tools read.
    Mirror {
        /// The file that several tools share.
        Agents = "AGENTS.md",
        /// The primary engine's file.
        Primary = "PRIMARY.md",
        /// The first other tool's file.
        Alt1 = "ALT1.md",
        /// The second other tool's rules file.
        Rules2 = ".altrules2",
        /// The third other tool's base rules, in its own folder.
        Rules3 = ".altrules3/base.md",
        /// The fourth other tool's file, in the repository's .github folder.
        Github = ".github/alt4-instructions.md",
        /// The fifth other tool's rules file.
        Rules5 = ".altrules5",
    }
}

static MIRROR: Shape = Shape::Select(Mirror::ALL);

kit::settings! {
    /// Copies one instruction file to the file names that other coding tools read.
    agentInstructionsSyncEnabled: bool = toggle(false).stated();
    /// File that the others are copied from.
    agentInstructionsSyncCanonical: Canonical = select("PRIMARY.md").stated().requires(&agentInstructionsSyncEnabled);
    /// Commits the copies or hides them from git.
    agentInstructionsSyncGitMode: GitMode = select("local").requires(&agentInstructionsSyncEnabled);
    /// Files to write as copies. The source file itself has no effect here.
    agentInstructionsSyncMirrors: Vec<Mirror> = list(&MIRROR).requires(&agentInstructionsSyncEnabled);
}
