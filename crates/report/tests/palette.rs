//! Tests that the colours of the page are visible and distinguishable, even with colour blindness.
//!
//! Colour blindness is simulated as in Machado, Oliveira and Fernandes ("A Physiologically-based Model for Simulation
//! of Color Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15, 2009). Contrast is
//! calculated as in WCAG 2.2.

const STYLE: &str = include_str!("../assets/style.css");
/// The colours of named series, and the grey used for all others.
const SERIES: [&str; 8] = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7"];
/// Minimum contrast for graphical objects according to WCAG 2.2 (1.4.11).
const CONTRAST_MIN: f64 = 3.0;
/// Minimum contrast for text according to WCAG 2.2 (1.4.3).
const TEXT_CONTRAST_MIN: f64 = 4.5;
/// Minimum distance between two colours in the colour space CIE L*a*b*. For comparison, the smallest distance that
/// people can perceive is about 2.3.
const DISTANCE_MIN: f64 = 12.0;

type Triple = [f64; 3];

const VISIONS: [(&str, [Triple; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "no long cones",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "no medium cones",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "no short cones",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// Returns the colour definitions in the style sheet. There is one block for the light theme and two for the dark
/// theme.
fn themes() -> Vec<&'static str> {
    let blocks = STYLE.split("--paper: ").skip(1);
    blocks.map(|block| block.split('}').next().expect("a block")).collect()
}

/// Returns a theme's colour as linear light, with three components from 0 to 1.
fn light(theme: &str, name: &str) -> Triple {
    let value = match name {
        "--paper" => theme,
        _ => theme.split(&format!("{name}: ")).nth(1).expect(name),
    };
    let hex = value.trim_start_matches('#');
    [0, 2, 4].map(|at| {
        let part = u8::from_str_radix(&hex[at..at + 2], 16).expect("a colour");
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

fn dot(row: Triple, light: Triple) -> f64 {
    row.iter().zip(light).map(|(a, b)| a * b).sum()
}

const LUMINANCE: Triple = [0.212_6, 0.715_2, 0.072_2];

fn contrast(a: Triple, b: Triple) -> f64 {
    let [a, b] = [a, b].map(|color| dot(LUMINANCE, color) + 0.05);
    a.max(b) / a.min(b)
}

/// Converts linear light to CIE L*a*b* under daylight (D65).
fn lab(light: Triple) -> Triple {
    let part = |row: Triple, white: f64| {
        let share = dot(row, light) / white;
        if share > 0.008_856 { share.cbrt() } else { 7.787 * share + 16.0 / 116.0 }
    };
    let x = part([0.412_4, 0.357_6, 0.180_5], 0.950_47);
    let y = part(LUMINANCE, 1.0);
    let z = part([0.019_3, 0.119_2, 0.950_5], 1.088_83);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn seen(vision: [Triple; 3], light: Triple) -> Triple {
    lab(vision.map(|row| dot(row, light).clamp(0.0, 1.0)))
}

fn distance(a: Triple, b: Triple) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn series_are_told_apart_with_any_colour_vision() {
    assert_eq!(themes().len(), 3);
    for theme in themes() {
        for (vision, matrix) in VISIONS {
            for (place, a) in SERIES.iter().enumerate() {
                for b in &SERIES[..place] {
                    let [first, other] = [a, b].map(|name| seen(matrix, light(theme, name)));
                    let apart = distance(first, other);
                    assert!(apart >= DISTANCE_MIN, "{vision}: {a} and {b} are {apart:.1} apart");
                }
            }
        }
    }
}

#[test]
fn lines_and_words_stand_out_from_their_paper() {
    for theme in themes() {
        let paper = light(theme, "--paper");
        for name in SERIES {
            let ratio = contrast(light(theme, name), paper);
            assert!(ratio >= CONTRAST_MIN, "{name} has a contrast of {ratio:.2}");
        }
        let words = ["--ink", "--quiet", "--link", "--good", "--warn", "--bad"];
        for name in words {
            for ground in ["--paper", "--sheet"] {
                let ratio = contrast(light(theme, name), light(theme, ground));
                assert!(ratio >= TEXT_CONTRAST_MIN, "{name} on {ground} has {ratio:.2}");
            }
        }
        for name in ["--good", "--warn", "--bad"] {
            let ratio = contrast(light(theme, name), light(theme, &format!("{name}-bg")));
            assert!(ratio >= TEXT_CONTRAST_MIN, "{name} on its ground has {ratio:.2}");
        }
    }
}

#[test]
fn both_ways_to_the_dark_theme_are_the_same() {
    let dark: Vec<&str> = themes()[1..].to_vec();
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(plain(dark[0]), plain(dark[1]));
}
