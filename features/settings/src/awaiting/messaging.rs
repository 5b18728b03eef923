//! Chat, text messages, the messenger, spam and the mail client.

use kit::choices;
use kit::setting::{Format, Shape, list, select, text, toggle};

choices! {
    /// How texts travel.
    SmsProvider {
        /// Through the relay service's cloud.
        Relay = "relay",
        /// Through your own phone, with a gateway app that you run.
        Native = "native",
    }
    /// What speaks the messenger's protocol.
    MessengerEngine {
        /// Kept up to date; recommended.
        Maintained = "engine_maintained",
        /// The earlier one.
        Legacy = "engine_legacy",
    }
    /// Who may write to the bot directly.
    DmPolicy {
        /// Strangers get a code that you approve in the program.
        Pairing = "pairing",
        /// Only users on the list.
        Allowlist = "allowlist",
        /// Nobody.
        Disabled = "disabled",
    }
    /// Space between mails in the list.
    MailDensity {
        /// As many mails on the screen as can be read.
        Tight = "tight",
        /// Little space between mails.
        Compact = "compact",
        /// Some space between mails.
        Comfortable = "comfortable",
        /// Much space between mails.
        Spacious = "spacious",
        /// The most space between mails.
        Roomy = "roomy",
    }
    /// Arrangement of the head of the mail client.
    HeaderLayout {
        /// As it always was.
        Current = "current",
        /// Everything in one bar.
        Unified = "unified",
        /// A rail at the side.
        Rail = "rail",
    }
    /// What the number in the navigation counts.
    BadgeMode {
        /// Unread mails.
        Unread = "unread",
        /// All mails in the inbox.
        Total = "total",
    }
    /// When threads are summarised.
    SummaryTrigger {
        /// When you press the button.
        Manual = "manual",
        /// Whenever you open a thread.
        Auto = "auto",
        /// When you open a thread of a chosen sender.
        Selective = "selective",
    }
}

static NUMERIC_ID: Shape = Shape::Text { max: 32, format: Format::Digits, nullable: false };
static SENDER: Shape = Shape::Text { max: 320, format: Format::Free, nullable: false };

kit::settings! {
    /// Follows channels and direct messages of the team chat in the sidebar.
    chatAppEnabled: bool = toggle(false);
    /// Sends to the team chat in your own name rather than the bot's. The bot has to be set up first.
    chatAppPersonalEnabled: bool = toggle(false).requires(&chatAppEnabled);
    /// Sends and receives text messages.
    smsEnabled: bool = toggle(false);
    /// Tells you once when text messages are on and do not work. The row goes away when they do again.
    smsHealthAlertsEnabled: bool = toggle(true).requires(&smsEnabled);
    /// Chooses which way text messages take.
    smsProvider: SmsProvider = select("relay").requires(&smsEnabled);
    /// Shows messenger conversations, to read and answer.
    messengerEnabled: bool = toggle(false);
    /// Chooses what speaks the messenger's protocol. Switching signs you out until you connect again.
    messengerEngine: MessengerEngine = select("engine_maintained").requires(&messengerEnabled);
    /// Opens a bot in the messenger through which you reach agents. Every chat or topic there is a session of its own.
    messengerBotEnabled: bool = toggle(false);
    /// Names the groups that the bot answers in, by their numbers; with none named it answers in no group.
    messengerBotAllowedGroupIds: Vec<String> = list(&NUMERIC_ID).requires(&messengerBotEnabled);
    /// Names the users who may talk to the bot, by their numbers. Approving a pairing adds one.
    messengerBotAllowedUserIds: Vec<String> = list(&NUMERIC_ID).requires(&messengerBotEnabled);
    /// Chooses who may write to the bot directly.
    messengerBotDmPolicy: DmPolicy = select("pairing").requires(&messengerBotEnabled);
    /// Lets the bot answer in groups only when it is mentioned or replied to.
    messengerBotGroupRequireMention: bool = toggle(true).requires(&messengerBotEnabled);
    /// Judges messages from people whom you do not know and keeps junk apart. People whom you know are never judged.
    spamFilterEnabled: bool = toggle(true);
    /// Filters mail from strangers to the agents' and the support address. What is caught is not answered and no session begins from it.
    spamFilterAgentEmailEnabled: bool = toggle(true).requires(&spamFilterEnabled);
    /// Filters invitations from outside your organization. What is caught gives no notice.
    spamFilterCalendarEnabled: bool = toggle(true).requires(&spamFilterEnabled);
    /// Also deletes an invitation from the calendar when you mark its sender as spam; it stays in the calendar's trash for thirty days. What is caught automatically is only hidden.
    spamFilterCalendarDeleteEvent: bool = toggle(false).requires(&spamFilterCalendarEnabled);
    /// Filters texts from numbers that you neither saved nor ever wrote to. Short numbers are never judged.
    spamFilterSmsEnabled: bool = toggle(true).requires(&spamFilterEnabled);
    /// Shows the mail client in the sidebar, with folders, writing and snoozing. It is still a preview.
    mailclientEnabled: bool = toggle(false).stated();
    /// The mail client reads the account that is already connected, without a second sign-in.
    mailclientUseAppWebmail: bool = toggle(true).requires(&mailclientEnabled);
    /// Each new mail becomes a card in the inbox with a box to answer in.
    mailclientEmailsInInbox: bool = toggle(false).requires(&mailclientEnabled);
    /// Sets the space between mails in the list of the mail client.
    mailclientDensity: MailDensity = select("comfortable").requires(&mailclientEnabled);
    /// Chooses where the switch between mail and sessions and the tools stand.
    mailclientHeaderLayout: HeaderLayout = select("current").requires(&mailclientEnabled);
    /// Chooses what the number beside the mail client counts.
    mailclientInboxBadgeMode: BadgeMode = select("unread").requires(&mailclientEnabled);
    /// Chooses when the summary of a thread is written.
    mailclientAiSummaryTrigger: SummaryTrigger = select("manual").requires(&mailclientEnabled);
    /// Names the senders, or their domains, for whom a thread is summarized when you open it, where only chosen senders are.
    mailclientAiSummaryAutoSenders: Vec<String> = list(&SENDER).requires(&mailclientEnabled);
    /// Chooses the model that writes the summary. Empty is the built-in quick one.
    mailclientAiSummaryModel: String = text(120, "").requires(&mailclientEnabled);
    /// Replaces the instruction for the summary. Empty is the built-in one.
    mailclientAiSummaryPrompt: String = text(4_000, "").requires(&mailclientEnabled);
    /// Receives messages from other services, such as builds and monitors, at an address that you give them.
    webhooksEnabled: bool = toggle(false);
}
