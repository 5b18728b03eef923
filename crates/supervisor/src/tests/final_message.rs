use crate::final_message::{INSTRUCTION, MARKER, without_markers};

#[test]
fn the_marker_is_removed_and_nothing_else_is() {
    for (text, shown) in [
        ("Working.\n<!-- final -->\nDone.\n", "Working.\nDone.\n"),
        ("<!-- final -->", ""),
        ("  <!--FINAL-->  \nDone.", "Done."),
        ("<!-- final --> Done.\nMore.", "Done.\nMore."),
        ("<!-- final -->\nOne.\n<!-- final -->\nTwo.", "One.\nTwo."),
        ("```html\n<!-- final -->\n```\n", "```html\n<!-- final -->\n```\n"),
        ("Write `<!-- final -->` first.", "Write `<!-- final -->` first."),
        ("<!-- finally -->\n<!-- fin", "<!-- finally -->\n<!-- fin"),
        ("No marker.", "No marker."),
    ] {
        assert_eq!(without_markers(text), shown, "{text:?}");
    }
    assert!(INSTRUCTION.contains(MARKER));
}
