//! Tables of other programs, whole and damaged.

use proptest::prelude::*;

use super::*;

const SMALL: &str = "<?xml version=\"1.0\"?>
<!DOCTYPE met PUBLIC \"-//GNU Backgammon//DTD Match Equity Tables//EN\" \"met.dtd\">
<met>
  <info><name>A &amp; B</name><description> two
     lines </description><length>2</length></info>
  <pre-crawford-table type=\"explicit\">
    <row><me>0.5</me><me>0.69</me></row>
    <row><me>0.311</me><me>0.5</me></row>
  </pre-crawford-table>
  <post-crawford-table type=\"explicit\" player=\"both\">
    <row><me>0.5</me><me>0.49</me></row>
  </post-crawford-table>
</met>
";

fn message(text: &str) -> String {
    MatchEquityTable::from_xml(text).unwrap_err().to_string()
}

#[test]
fn a_small_table_is_read() {
    let table = MatchEquityTable::from_xml(SMALL).unwrap();
    assert_eq!((table.name(), table.description()), ("A & B", "two lines"));
    assert_eq!((table.length(), table.notice()), (2, None));
    // 0.69 and 0.311 are rounded differently: their mean is kept.
    assert!((table.pre_crawford(1, 2).unwrap().0 - 0.6895).abs() < 1e-12);
    assert!((table.pre_crawford(2, 1).unwrap().0 - 0.3105).abs() < 1e-12);
    assert_eq!(table.post_crawford(2).unwrap().0, 0.49);
}

#[test]
fn a_completed_table_does_not_fall_where_its_entries_are_strange() {
    let rows = "<row><me>0.5</me><me>0.7</me><me>0.8</me></row>
        <row><me>0.3</me><me>0.5</me><me>0.6</me></row>
        <row><me>0.2</me><me>0.4</me><me>0.5</me></row>";
    let (before, rest) = SMALL.split_once("    <row>").unwrap();
    let (_, after) = rest.split_once("  </pre").unwrap();
    let text = format!("{before}{rows}</pre{after}")
        .replace("<length>2", "<length>3")
        .replace("<me>0.49</me>", "<me>0.2</me>");
    let table = MatchEquityTable::from_xml(&text).unwrap();
    assert_eq!(table.post_crawford(3).unwrap().0, 0.2);
    assert_eq!(MatchEquityTable::from_xml(&table.to_xml()).unwrap(), table);
}

#[test]
fn what_is_written_reads_back_as_the_same_table() {
    for table in [MatchEquityTable::kazaross_xg2(), &MetModel::default().table(9).unwrap()] {
        assert_eq!(&MatchEquityTable::from_xml(&table.to_xml()).unwrap(), table);
    }
    let small = MatchEquityTable::from_xml(SMALL).unwrap();
    let text = small.to_xml();
    assert_eq!(MatchEquityTable::from_xml(&text).unwrap(), small);
    for at in (0..text.len()).filter(|&at| text.as_bytes()[at] < b'y') {
        let mut changed = text.clone().into_bytes();
        changed[at] += 1;
        // What is read in spite of it is the same.
        let read = MatchEquityTable::from_xml(std::str::from_utf8(&changed).unwrap());
        assert_eq!(read.unwrap_or_else(|_| small.clone()), small, "byte {at}");
        let read = MatchEquityTable::from_xml(&text[..at]);
        assert_eq!(read.unwrap_or_else(|_| small.clone()), small, "cut at {at}");
    }
}

#[test]
fn a_post_crawford_table_one_short_is_completed() {
    let short = SMALL.replace("<me>0.49</me>", "");
    let table = MatchEquityTable::from_xml(&short).unwrap();
    let last = table.post_crawford(2).unwrap().0;
    assert!((0.45..0.5).contains(&last), "{last}");
}

#[test]
fn bad_files_are_refused_with_line_and_reason() {
    assert!(message("<met>").starts_with("not well-formed XML"));
    assert_eq!(message("<table/>"), "line 1: the root element is <table>, expected <met>");
    assert_eq!(message("\n<met></met>"), "line 2: <met> has no <info>");
    for (from, to, expected) in [
        ("<length>2</length>", "<length>two</length>", "line 5: length \"two\", expected 1 to 500"),
        ("<length>2</length>", "<length>0</length>", "line 5: length \"0\", expected 1 to 500"),
        ("<length>2</length>", "<length>3</length>", "line 6: 2 rows, expected 3"),
        ("<me>0.69</me>", "", "line 7: 1 entries in this row, expected 2"),
        (
            "<me>0.311</me>",
            "<me>0,311</me>",
            "line 8: entry \"0,311\", expected a probability from 0 to 1",
        ),
        (
            "<me>0.311</me>",
            "<me>NaN</me>",
            "line 8: entry \"NaN\", expected a probability from 0 to 1",
        ),
        (
            "<me>0.311</me>",
            "<me>1.311</me>",
            "line 8: entry \"1.311\", expected a probability from 0 to 1",
        ),
        (
            "table type=\"explicit\">",
            "table type=\"zadeh\">",
            "line 6: table of type \"zadeh\", expected \"explicit\"",
        ),
        (
            "<me>0.49</me>",
            "<me>0.51</me>",
            "line 11: probability 0.51 is higher than 0.5 with a point less to go",
        ),
    ] {
        let text = SMALL.replacen(from, to, 1);
        assert_ne!(text, SMALL);
        assert_eq!(message(&text), expected);
    }
    let unequal = message(&SMALL.replace("0.311", "0.33"));
    assert!(unequal.starts_with("line 7: 1 away against 2 away is 0.69 and 0.33"), "{unequal}");
    let falling = message(&SMALL.replace("0.311", "0.7").replace("0.69", "0.3"));
    assert_eq!(falling, "line 8: probability 0.7 is higher than 0.5 with a point less to go");
    let seats = SMALL.replace(
        "</met>",
        "<post-crawford-table player=\"1\"><row><me>0.5</me><me>0.4</me></row></post-crawford-table></met>",
    );
    assert_eq!(
        message(&seats),
        "line 13: another post-crawford-table, expected one for both players"
    );
}

#[test]
fn the_longest_table_is_read_in_lines_or_in_one_and_larger_files_are_refused() {
    let table = MetModel::default().table(120).unwrap();
    let text = table.to_xml();
    assert_eq!(MatchEquityTable::from_xml(&text).unwrap(), table);
    // As another program has it, in one line and without a checksum.
    let (without, _) = text.rsplit_once(CHECKSUM).unwrap();
    assert_eq!(MatchEquityTable::from_xml(&without.replace('\n', "")).unwrap(), table);
    let attributes: String = (0..200_000).map(|i| format!(" a{i}=\"\"")).collect();
    let message = message(&format!("<met{attributes}/>"));
    assert!(message.starts_with("400000 quotation marks, expected"), "{message}");
    let entity = format!("<!DOCTYPE met [<!ENTITY a \"{}\">]>", "x".repeat(300_000));
    let text = format!("{entity}<met><info><name>{}</name></info></met>", "&a;".repeat(200_000));
    let message = self::message(&text);
    assert!(message.starts_with("1 definitions of entities, expected a match"), "{message}");
    let message = self::message(&" ".repeat(MOST_BYTES + 1));
    assert!(message.contains("bytes, expected a match equity table of at most"), "{message}");
    let nodes = format!("<met>{}</met>", "<a/>".repeat(MOST_NODES as usize));
    assert!(self::message(&nodes).starts_with("not well-formed XML"));
}

#[test]
fn a_cut_or_changed_table_without_a_checksum_is_refused_or_hardly_another() {
    let table = MetModel::default().table(9).unwrap();
    let text = table.to_xml();
    let (text, _) = text.rsplit_once(CHECKSUM).unwrap();
    let end = text.trim_end().len();
    for at in 0..end {
        assert!(MatchEquityTable::from_xml(&text[..at]).is_err(), "cut at {at}");
    }
    let body = text.find("<pre-crawford").unwrap();
    let post = text.find("<post-crawford").unwrap();
    let (mut changed, mut kept) = (0, 0);
    for (at, old) in text.bytes().enumerate().skip(body).filter(|(_, c)| c.is_ascii_digit()) {
        for new in (b'0'..=b'9').filter(|&new| new != old) {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = new;
            let damaged = String::from_utf8(bytes).unwrap();
            changed += 1;
            let Ok(read) = MatchEquityTable::from_xml(&damaged) else { continue };
            kept += 1;
            let pairs = read.pre_crawford.iter().zip(&table.pre_crawford);
            let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{off} at {at}");
            let pairs = read.post_crawford.iter().zip(&table.post_crawford);
            let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(at > post || off == 0.0, "{off} at {at}");
        }
    }
    assert!(kept * 5 < changed, "{kept} of {changed}");
}

proptest! {
    #[test]
    fn damaged_files_never_panic(at in 0usize..SMALL.len(), with in "\\PC{0,3}") {
        let mut text = SMALL.to_owned();
        if text.is_char_boundary(at) {
            text.replace_range(at..at, &with);
            let _ = MatchEquityTable::from_xml(&text);
            text.truncate(at);
            let _ = MatchEquityTable::from_xml(&text);
        }
    }
}

#[test]
fn a_file_of_more_parts_than_the_longest_table_is_refused() {
    let many = format!("<met>{}</met>", "<a/>".repeat(1 << 21));
    let error = tavola_files::chain(&MatchEquityTable::from_xml(&many).unwrap_err());
    assert!(many.len() < MOST_BYTES && error.contains("nodes limit"), "{error}");
}
