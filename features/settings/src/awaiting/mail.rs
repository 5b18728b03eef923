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
    /// Puts the cursor into the reply box when you open a mail. When off, single keys sort it: E archives, S stars, U marks unread, R replies.
    webmailAutoFocusReply: bool = toggle(false).requires(&webmailEnabled);
    /// Marks a thread as read when you open it.
    webmailAutoMarkRead: bool = toggle(true).requires(&webmailEnabled);
    /// Sets the search that the mail list begins with.
    webmailDefaultQuery: String = text(500, "in:inbox").requires(&webmailEnabled);
    /// Plays a short animation once the last mail is dealt with.
    webmailInboxZeroCelebration: bool = toggle(true).requires(&webmailEnabled);
    /// Sets how many threads are loaded at a time. The page offers 10 to 100.
    webmailPageSize: i64 = int(1..=100, 50).unit("threads").requires(&webmailEnabled);
    /// Keeps senders from loading images from elsewhere when you open a mail. Attached ones still show.
    emailBlockRemoteImages: bool = toggle(false).stated();
    /// Shows e-mail cleanup as a flat list of senders instead of step by step.
    emailCleanupClassicLayout: bool = toggle(false);
    /// Receives mail through a provider's inbox, lets an assistant work on it and sends the answer.
    emailInboundEnabled: bool = toggle(false);
    /// Names the senders whose mail is worked on; with none named, nobody's is. An entry such as @example.org stands for a domain.
    emailInboundApprovedSenders: Vec<String> = list(&ADDRESS).requires(&emailInboundEnabled);
    /// Names the inbox that receives mail, by the provider's identifier.
    emailInboundInboxId: String = text(200, "").requires(&emailInboundEnabled);
    /// Replaces the instruction by which incoming mail is judged first. Empty uses the built-in one; the form of the verdict stays fixed.
    emailInboundPrescreenPrompt: String = text(16_000, "").requires(&emailInboundEnabled);
    /// Summarizes mail that you forward to the watched inbox.
    emailSummarizerEnabled: bool = toggle(false);
    /// Summarizes threads of web mail that carry your label.
    emailSummarizerGmailEnabled: bool = toggle(false).requires(&webmailEnabled);
    /// Names the inbox that is watched for mail to summarize.
    emailSummarizerInboxId: String = text(IDENTIFIER_CHARS_MAX, "").requires(&emailSummarizerEnabled);
    /// Archives a mail at the provider once it is summarized.
    emailSummarizerArchiveEnabled: bool = toggle(false).requires(&emailSummarizerEnabled);
    /// Limits what both summarizers together may spend in a day.
    emailSummarizerDailyCostCapUsd: f64 = number(0.1, 20.0, 1.0).unit("USD");
    /// Sets the instruction for summaries where no rule fits. Empty uses the built-in one.
    emailSummarizerDefaultPrompt: String = text(20_000, "");
    /// Shows your cloud drive in the sidebar, to look through, upload to and keep in order.
    driveEnabled: bool = toggle(false);
    /// Shows the files of file-sync service A in the sidebar.
    filesyncAEnabled: bool = toggle(false);
    /// Shows the files of file-sync service B in the sidebar.
    filesyncBEnabled: bool = toggle(false);
    /// Shows spreadsheets in the sidebar, to read and to edit where you allow it.
    sheetsEnabled: bool = toggle(false);
    /// Names the spreadsheets that may be edited, and in which columns. Columns count from 0.
    trustedSheets: kit::serde_json::Value = list_of_objects(&TRUSTED_SHEETS).requires(&sheetsEnabled);
    /// Pasting the address of a document or of slides into a message fetches their text. Shift while pasting leaves the address.
    docImportEnabled: bool = toggle(true);
    /// Offers to publish a project document, a scratchpad or an agent's message as a document.
    docsExportEnabled: bool = toggle(true);
    /// Names the folder that published documents are made in, where no template is set.
    docsDestFolderId: String = text(IDENTIFIER_CHARS_MAX, "").requires(&docsExportEnabled);
    /// Names the document to which each publication adds a tab, instead of making a new document each time.
    docsTemplateId: String = text(IDENTIFIER_CHARS_MAX, "").requires(&docsExportEnabled);
    /// Turns formatted text that you paste into Markdown. When off, it is pasted as plain text.
    pasteRichTextAsMarkdown: bool = toggle(true);
    /// Lets you follow feeds, RSS or Atom, from the sidebar.
    rssEnabled: bool = toggle(false);
    /// Writes a briefing of your feeds each day.
    rssDigestEnabled: bool = toggle(false).requires(&rssEnabled);
    /// Names the topics that the briefing of feeds should look for.
    rssDigestInterests: String = text(1_000, "").requires(&rssDigestEnabled);
    /// Sets when the briefing of feeds arrives.
    rssDigestTime: String = time_of_day("07:30").requires(&rssDigestEnabled);
}
