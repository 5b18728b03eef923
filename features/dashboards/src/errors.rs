//! Errors of this feature.

kit::error_codes! {
    BOARD_NOT_FOUND = 404 "board-not-found" "Board not found" : "The config names a board that isn't in this account: in `boardIds`, in a filter, or in the settings of a widget. Nothing was changed.";
    TOO_MUCH = 422 "dashboard-too-large" "Connected boards too large" : "The connected boards exceed the limit that the detail names. Connect fewer boards, or open the dashboard's page, which computes it.";
    TOO_SLOW = 422 "dashboard-too-slow" "Dashboard took too long" : "Computing the values, or waiting for other agents, took too long. Ask for single widgets with `widgetId`, or connect fewer boards.";
    TOO_MANY_DASHBOARDS = 409 "too-many-dashboards" "Dashboard limit reached" : "The limit is 1,000 dashboards per workspace. Delete one.";
    TOO_MANY_APPS = 409 "too-many-apps" "Address limit reached" : "The limit is 100 allowed addresses. Disallow one.";
    TOO_MANY_PROPOSALS = 409 "too-many-proposals" "Too many open proposals" : "A dashboard can have 10 open proposals. Ask the owner to accept or decline one.";
    PROPOSAL_CHANGED = 409 "proposal-changed" "Proposal changed" : "The session changed its proposal since you read it. Read it again and accept it with its new digest.";
    PERSON_HAS_IT_OPEN = 409 "person-has-it-open" "Dashboard is open" : "A session can't delete a dashboard that a person has open. Ask the owner, or try again after it's closed.";
    PROPOSAL_DECIDED = 409 "proposal-decided" "Proposal already decided" : "The proposal was accepted or declined before. The detail says which.";
    CONFIG_TOO_LARGE = 413 "config-too-large" "Config too large" : "The limit is 1 MiB as JSON. Remove widgets or rules.";
    PREVIEW_STALE = 409 "preview-stale" "Results changed since the preview" : "The results differ from those of `digest`. Check a new preview and publish with its digest.";
    PUBLIC_DOOR_SHUT = 503 "public-door-shut" "Can't open the publishing port" : "The port of published pages can't be opened. Free it, or start Pilothouse with `--publish-port`. The detail says why.";
    TOO_MANY_PUBLICATIONS = 409 "too-many-publications" "Publication limit reached" : "The limit is 100 published dashboards. Unpublish one.";
    PUBLICATION_TOO_LARGE = 413 "publication-too-large" "Results too large to publish" : "The limit is 4 MiB. Publish a dashboard with fewer widgets.";
    SNAPSHOTS_UNREADABLE = 500 "snapshots-unreadable" "Unreadable snapshots" : "The snapshots are damaged or from a newer version. Delete them to start over: `pilothouse dashboards snapshots delete ID`, or Daily snapshots in the dashboard's menu.";
    VIEWERS_ONLY_READ = 403 "viewers-only-read" "Viewers can't make changes" : "You are a viewer of this dashboard. Nothing was changed. Ask the owner to make you an editor (Invite, or `PUT /dashboards/{dashboardId}/members/{memberId}`).";
}
