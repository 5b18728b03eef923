//! Titles of widgets that were given none, for readers who see no settings.

use serde_json::Value;

/// What a widget is about, from its settings and the titles of the columns that play its roles.
pub(super) fn title<'a>(config: &Value, column: &dyn Fn(&str) -> Option<&'a str>) -> String {
    match config["kind"].as_str().unwrap_or_default() {
        "numbers" => match config.get("ratio").filter(|ratio| !ratio.is_null()) {
            Some(_) => "Share of items".into(),
            None => measure(config["function"].as_str().unwrap_or("sum"), column("value")),
        },
        "chart" => {
            let axis = match config["x"]["by"].as_str().unwrap_or("column") {
                "column" => column("x").unwrap_or("value").to_owned(),
                "created" => "day of creation".into(),
                "updated" => "last change".into(),
                by => by.to_owned(),
            };
            format!("{} by {axis}", measure(config["y"]["function"].as_str().unwrap_or("count"), column("y")))
        }
        "velocity" => "Velocity".into(),
        "planned" => "Planned and unplanned".into(),
        "burndown" => "Burndown".into(),
        "battery" => "Progress".into(),
        "table" => "Table".into(),
        _ => "Widget".into(),
    }
}

fn measure(function: &str, column: Option<&str>) -> String {
    let what = match function {
        "average" => "Average",
        "median" => "Median",
        "min" => "Smallest",
        "max" => "Largest",
        "countFilled" => "Filled cells",
        "distinct" => "Different values",
        "sum" => "Sum",
        _ => return "Number of items".into(),
    };
    column.map_or_else(|| what.to_owned(), |column| format!("{what} of {column}"))
}
