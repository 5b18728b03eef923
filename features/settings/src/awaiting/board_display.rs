//! Project boards in the calendar.

use kit::setting::{Format, Shape, list, toggle};

static BOARD_ID: Shape = Shape::Text { max: 200, format: Format::Free, nullable: false };

kit::settings! {
    /// Boards whose dates the calendar shows. Empty shows all boards.
    pmCalendarBoardIds: Vec<String> = list(&BOARD_ID).requires(&pmCalendarOverlayEnabled);
    /// Shows due dates and sprints of boards in the calendar, in each board's color.
    pmCalendarOverlayEnabled: bool = toggle(true);
}
