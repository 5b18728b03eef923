//! Computes the positions that the page uses (`grid/layout.ts`), so that a check can report which widgets would move.
//! Minimum sizes of kinds are known only to the page.

/// Columns of the page's grid.
pub(crate) const COLUMNS: i64 = 12;
/// Maximum rows of a widget, and of empty ones above it.
pub(crate) const ROWS_MAX: i64 = 40;
/// The last row in which a widget can begin.
pub(crate) const LAST_ROW: i64 = 9_999;

/// A position in the grid: the upper-left cell, and the size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cells {
    pub(crate) x: i64,
    pub(crate) y: i64,
    pub(crate) w: i64,
    pub(crate) h: i64,
}

impl Cells {
    /// The nearest position within the grid.
    fn fitted(self) -> Cells {
        let (w, h) = (self.w.clamp(1, COLUMNS), self.h.clamp(1, ROWS_MAX));
        Cells { x: self.x.clamp(0, COLUMNS - w), y: self.y.clamp(0, LAST_ROW), w, h }
    }
    fn shares_column(&self, other: &Cells) -> bool {
        self.x < other.x + other.w && other.x < self.x + self.w
    }
    fn overlaps(&self, other: &Cells) -> bool {
        self.shares_column(other) && self.y < other.y + other.h && other.y < self.y + self.h
    }
    fn end(&self) -> i64 {
        self.y + self.h
    }
}

/// The shown positions of widgets with these IDs and stored positions: within the grid, without overlaps, and moved up
/// if far below all others.
pub(crate) fn drawn(stored: &[(&str, Cells)]) -> Vec<Cells> {
    let mut cells: Vec<Cells> = stored.iter().map(|(_, cells)| cells.fitted()).collect();
    let reading = |cells: &[Cells]| {
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|at| (cells[*at].y, cells[*at].x, stored[*at].0));
        order
    };
    let order = reading(&cells);
    for (nth, at) in order.iter().enumerate() {
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for other in &order[..nth] {
                if cells[*at].overlaps(&cells[*other]) {
                    // A widget that moves away can overlap another.
                    (cells[*at].y, is_settled) = (cells[*other].end(), false);
                }
            }
        }
    }
    let order = reading(&cells);
    let mut end = 0;
    let is_far = order.iter().any(|at| {
        let gap = cells[*at].y - end;
        end = end.max(cells[*at].end());
        gap > ROWS_MAX
    });
    for (nth, at) in order.iter().enumerate().filter(|_| is_far) {
        let above = order[..nth].iter().map(|o| cells[*o]).filter(|o| cells[*at].shares_column(o));
        cells[*at].y = above.map(|o| o.end()).max().unwrap_or(0);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places as `x y w h`, by comma.
    fn places(text: &str) -> Vec<Cells> {
        let place = |text: &str| {
            let sides: Vec<i64> = text.split_whitespace().map(|side| side.parse().expect("a number")).collect();
            Cells { x: sides[0], y: sides[1], w: sides[2], h: sides[3] }
        };
        text.split(',').map(place).collect()
    }

    #[test]
    fn places_are_drawn_as_the_page_draws_them() {
        for (stored, expected) in [
            ("0 0 6 4, 6 0 6 4", "0 0 6 4, 6 0 6 4"),
            ("0 0 0 4", "0 0 1 4"),
            ("11 0 6 4", "6 0 6 4"),
            ("-3 -1 4 99", "0 0 4 40"),
            ("0 0 6 4, 3 2 6 4, 8 5 4 2", "0 0 6 4, 3 4 6 4, 8 8 4 2"),
            ("0 0 6 4, 0 0 6 4, 0 0 6 4", "0 0 6 4, 0 4 6 4, 0 8 6 4"),
            ("0 10 6 4", "0 10 6 4"),
            ("0 2 6 4, 0 1000000000 6 4, 6 3 6 4", "0 0 6 4, 0 4 6 4, 6 0 6 4"),
        ] {
            let stored = places(stored);
            let ids = ["a", "b", "c"];
            let named: Vec<(&str, Cells)> = ids.into_iter().zip(stored).collect();
            assert_eq!(drawn(&named), places(expected), "{named:?}");
        }
    }
}
