//! Mail, files, documents and feeds.

use kit::setting::{Field, Format, Shape, int, list, list_of_objects, number, text, time_of_day, toggle};

static ADDRESS: Shape = Shape::Text { max: 200, format: Format::Free, nullable: false };
static COLUMN: Shape = Shape::Int { min: 0, max: 702, step: 1 };
static TASK_VIEW: [Field; 8] = [
    Field::new("categoriesCol", COLUMN),
    Field::new("completionCol", COLUMN),
    Field::new("dueDateCol", COLUMN),
    Field::new("sectionCol", COLUMN),
    Field::new("subjectCol", COLUMN),
    Field::new("urlCol", COLUMN),
    Field::new("categoriesTab", Shape::Text { max: 100, format: Format::Free, nullable: false }),
    Field::new("sheetTitle", Shape::Text { max: 100, format: Format::Free, nullable: false }),
];
static TRUSTED_SHEET: [Field; 4] = [
    Field::new("editableColumns", Shape::List { of: &COLUMN, unique: true }),
    Field::new("label", Shape::Text { max: 100, format: Format::Free, nullable: false }),
    Field::new("spreadsheetId", Shape::Text { max: 256, format: Format::Free, nullable: false }).required(),
    Field::new("taskView", Shape::Object(&TASK_VIEW)),
];
static TRUSTED_SHEETS: Shape = Shape::Object(&TRUSTED_SHEET);
/// Characters of identifiers for which the specification states no limit.
const IDENTIFIER_CHARS_MAX: u32 = 200;

kit::settings! {
    /// Shows web mail in the sidebar.
    webmailEnabled: bool = toggle(false);
    /// Focuses the reply box when you open a message. When off, keys work on it: E archive, S star, U mark unread, R reply.
    webmailAutoFocusReply: bool = toggle(false).requires(&webmailEnabled);
    /// Marks a thread as read when you open it.
    webmailAutoMarkRead: bool = toggle(true).requires(&webmailEnabled);
    /// Search that the mail list starts with.
    webmailDefaultQuery: String = text(500, "in:inbox").requires(&webmailEnabled);
    /// Plays a short animation when the mail inbox is empty.
    webmailInboxZeroCelebration: bool = toggle(true).requires(&webmailEnabled);
    /// Number of threads loaded at a time. The page offers 10 to 100.
    webmailPageSize: i64 = int(1..=100, 50).unit("threads").requires(&webmailEnabled);
    /// Blocks remote images when you open a message. Attached images still appear.
    emailBlockRemoteImages: bool = toggle(false).stated();
    /// Shows email cleanup as a flat list of senders instead of steps.
    emailCleanupClassicLayout: bool = toggle(false);
    /// Receives mail through a provider's inbox, lets an agent work on it, and sends the reply.
    emailInboundEnabled: bool = toggle(false);
    /// Senders whose mail is processed; an entry like @example.org covers a domain. Empty processes no mail.
    emailInboundApprovedSenders: Vec<String> = list(&ADDRESS).requires(&emailInboundEnabled);
    /// Provider's ID of the inbox that receives mail.
    emailInboundInboxId: String = text(200, "").requires(&emailInboundEnabled);
    /// Prompt that screens incoming mail. Empty uses the built-in prompt; the verdict's format is fixed.
    emailInboundPrescreenPrompt: String = text(16_000, "").requires(&emailInboundEnabled);
    /// Summarizes mail that you forward to the watched inbox.
    emailSummarizerEnabled: bool = toggle(false);
    /// Summarizes web mail threads that carry your label.
    emailSummarizerGmailEnabled: bool = toggle(false).requires(&webmailEnabled);
    /// ID of the inbox watched for mail to summarize.
    emailSummarizerInboxId: String = text(IDENTIFIER_CHARS_MAX, "").requires(&emailSummarizerEnabled);
    /// Archives a message at the provider after it is summarized.
    emailSummarizerArchiveEnabled: bool = toggle(false).requires(&emailSummarizerEnabled);
    /// Maximum daily cost of both summarizers together.
    emailSummarizerDailyCostCapUsd: f64 = number(0.1, 20.0, 1.0).unit("USD");
    /// Prompt for summaries that no rule covers. Empty uses the built-in prompt.
    emailSummarizerDefaultPrompt: String = text(20_000, "");
    /// Shows your cloud drive in the sidebar, to browse, upload, and organize.
    driveEnabled: bool = toggle(false);
    /// Shows the files of file sync service A in the sidebar.
    filesyncAEnabled: bool = toggle(false);
    /// Shows the files of file sync service B in the sidebar.
    filesyncBEnabled: bool = toggle(false);
    /// Shows spreadsheets in the sidebar, read-only unless you allow editing.
    sheetsEnabled: bool = toggle(false);
    /// Spreadsheets and columns that may be edited. Columns count from 0.
    trustedSheets: kit::serde_json::Value = list_of_objects(&TRUSTED_SHEETS).requires(&sheetsEnabled);
    /// Fetches the text of a document or presentation when you paste its link. Shift+paste inserts only the link.
    docImportEnabled: bool = toggle(true);
    /// Lets you publish a project document, scratchpad, or agent message as a document.
    docsExportEnabled: bool = toggle(true);
    /// ID of the folder for published documents when no template is set.
    docsDestFolderId: String = text(IDENTIFIER_CHARS_MAX, "").requires(&docsExportEnabled);
    /// ID of the document that gets a new tab for each publication. Empty creates a new document each time.
    docsTemplateId: String = text(IDENTIFIER_CHARS_MAX, "").requires(&docsExportEnabled);
    /// Converts formatted text to Markdown when you paste it. When off, pastes plain text.
    pasteRichTextAsMarkdown: bool = toggle(true);
    /// Shows RSS and Atom feeds in the sidebar.
    rssEnabled: bool = toggle(false);
    /// Writes a daily briefing of your feeds.
    rssDigestEnabled: bool = toggle(false).requires(&rssEnabled);
    /// Topics that the feed briefing covers first.
    rssDigestInterests: String = text(1_000, "").requires(&rssDigestEnabled);
    /// Time at which the feed briefing arrives.
    rssDigestTime: String = time_of_day("07:30").requires(&rssDigestEnabled);
}
