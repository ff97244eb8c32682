//! Any bytes as JSON lines, a JSON array or CSV: records or an error, and as many records as texts that fit.
#![no_main]

mod bind;

use dataset::{CsvPlan, CsvTexts, Format, Framing, JsonTexts, RecordFormat, RecordWriter, Texts, encode};
use libfuzzer_sys::fuzz_target;

fn run(texts: &mut dyn Texts) {
    let (layout, options, bind) = bind::parts();
    let format = Format { recfm: RecordFormat::Variable, ..Format::default() };
    let framing = Framing::new(&format, layout, bind, options).expect("a format for the layout");
    let mut writer = RecordWriter::new(Vec::new(), &framing);
    let mut rejected = 0;
    let result = encode(bind, texts, &mut writer, &mut |_| {
        rejected += 1;
        Ok(())
    });
    if let Ok(counts) = result {
        assert_eq!(counts.rejected, rejected);
    }
}

fuzz_target!(|text: &[u8]| {
    run(&mut JsonTexts::new(text));
    let plan = CsvPlan::new(bind::bind()).expect("columns");
    if let Ok(mut texts) = CsvTexts::new(&plan, text) {
        run(&mut texts);
    }
});
