//! Chat, text messages, the messenger, spam and the mail client.

use kit::choices;
use kit::setting::{Format, Shape, list, select, text, toggle};

choices! {
    /// Service for text messages.
    SmsProvider {
        /// The relay service's cloud.
        Relay = "relay",
        /// Your own phone, through a gateway app that you run.
        Native = "native",
    }
    /// Library that connects to the messenger.
    MessengerEngine {
        /// Maintained (recommended).
        Maintained = "engine_maintained",
        /// Legacy.
        Legacy = "engine_legacy",
    }
    /// Who may message the bot directly.
    DmPolicy {
        /// Strangers get a code that you approve in Pilothouse.
        Pairing = "pairing",
        /// Only users on the list.
        Allowlist = "allowlist",
        /// Nobody.
        Disabled = "disabled",
    }
    /// Space between messages in the list.
    MailDensity {
        /// As dense as readable.
        Tight = "tight",
        /// Little space.
        Compact = "compact",
        /// Some space.
        Comfortable = "comfortable",
        /// Much space.
        Spacious = "spacious",
        /// The most space.
        Roomy = "roomy",
    }
    /// Layout of the mail client's header.
    HeaderLayout {
        /// Classic.
        Current = "current",
        /// One bar.
        Unified = "unified",
        /// Side rail.
        Rail = "rail",
    }
    /// What the sidebar's badge counts.
    BadgeMode {
        /// Unread messages.
        Unread = "unread",
        /// All messages in the inbox.
        Total = "total",
    }
    /// When threads are summarized.
    SummaryTrigger {
        /// When you choose Summarize.
        Manual = "manual",
        /// Whenever you open a thread.
        Auto = "auto",
        /// When you open a thread from a chosen sender.
        Selective = "selective",
    }
}

static NUMERIC_ID: Shape = Shape::Text { max: 32, format: Format::Digits, nullable: false };
static SENDER: Shape = Shape::Text { max: 320, format: Format::Free, nullable: false };

kit::settings! {
    /// Shows team chat channels and direct messages in the sidebar.
    chatAppEnabled: bool = toggle(false);
    /// Posts to the team chat as you instead of as the bot. Set up the bot first.
    chatAppPersonalEnabled: bool = toggle(false).requires(&chatAppEnabled);
    /// Sends and receives text messages.
    smsEnabled: bool = toggle(false);
    /// Notifies you once when text messages are on but fail. The row disappears when they work again.
    smsHealthAlertsEnabled: bool = toggle(true).requires(&smsEnabled);
    /// Service that sends and receives text messages.
    smsProvider: SmsProvider = select("relay").requires(&smsEnabled);
    /// Shows messenger conversations and lets you reply.
    messengerEnabled: bool = toggle(false);
    /// Library that connects to the messenger. Switching signs you out until you connect again.
    messengerEngine: MessengerEngine = select("engine_maintained").requires(&messengerEnabled);
    /// Lets you reach agents through a messenger bot. Each chat or topic is its own session.
    messengerBotEnabled: bool = toggle(false);
    /// Numeric IDs of the groups in which the bot answers. Empty answers in no group.
    messengerBotAllowedGroupIds: Vec<String> = list(&NUMERIC_ID).requires(&messengerBotEnabled);
    /// Numeric IDs of the users who may message the bot. Approving a pairing adds one.
    messengerBotAllowedUserIds: Vec<String> = list(&NUMERIC_ID).requires(&messengerBotEnabled);
    /// Who may message the bot directly.
    messengerBotDmPolicy: DmPolicy = select("pairing").requires(&messengerBotEnabled);
    /// Answers in groups only when the bot is mentioned or replied to.
    messengerBotGroupRequireMention: bool = toggle(true).requires(&messengerBotEnabled);
    /// Screens messages from strangers and sets junk aside. Messages from people you know are never screened.
    spamFilterEnabled: bool = toggle(true);
    /// Screens strangers' mail to the agent and support addresses. Junk gets no reply and starts no session.
    spamFilterAgentEmailEnabled: bool = toggle(true).requires(&spamFilterEnabled);
    /// Screens invitations from outside your organization. Junk sends no notification.
    spamFilterCalendarEnabled: bool = toggle(true).requires(&spamFilterEnabled);
    /// Deletes an invitation from the calendar when you mark its sender as spam; the calendar's trash holds it for 30 days. Junk found automatically is only hidden.
    spamFilterCalendarDeleteEvent: bool = toggle(false).requires(&spamFilterCalendarEnabled);
    /// Screens texts from numbers you never saved or wrote to. Short codes are never screened.
    spamFilterSmsEnabled: bool = toggle(true).requires(&spamFilterEnabled);
    /// Shows the mail client in the sidebar, with folders, composing, and snoozing (preview).
    mailclientEnabled: bool = toggle(false).stated();
    /// Uses the connected web mail account in the mail client, without a second sign-in.
    mailclientUseAppWebmail: bool = toggle(true).requires(&mailclientEnabled);
    /// Shows each new message as an inbox row with a reply box.
    mailclientEmailsInInbox: bool = toggle(false).requires(&mailclientEnabled);
    /// Space between messages in the mail client's list.
    mailclientDensity: MailDensity = select("comfortable").requires(&mailclientEnabled);
    /// Position of the mail client's tools and of its switch between mail and sessions.
    mailclientHeaderLayout: HeaderLayout = select("current").requires(&mailclientEnabled);
    /// What the mail client's badge counts.
    mailclientInboxBadgeMode: BadgeMode = select("unread").requires(&mailclientEnabled);
    /// When a thread's summary is written.
    mailclientAiSummaryTrigger: SummaryTrigger = select("manual").requires(&mailclientEnabled);
    /// Senders or domains whose threads are summarized when you open them, if summaries are for chosen senders.
    mailclientAiSummaryAutoSenders: Vec<String> = list(&SENDER).requires(&mailclientEnabled);
    /// Model that writes the summary. Empty uses the built-in fast model.
    mailclientAiSummaryModel: String = text(120, "").requires(&mailclientEnabled);
    /// Prompt for the summary. Empty uses the built-in prompt.
    mailclientAiSummaryPrompt: String = text(4_000, "").requires(&mailclientEnabled);
    /// Receives messages from other services, such as builds and monitors, at an address that you give them.
    webhooksEnabled: bool = toggle(false);
}
