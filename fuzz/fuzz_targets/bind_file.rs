//! Any bytes as a bind file, ours or IBM's: problems, or interfaces that binds can be tried with.
#![no_main]

use libfuzzer_sys::fuzz_target;
use record::Bind;
use web_service::BindFile;
use web_service::ibm::IbmFile;

/// A copybook of few bytes may describe a large record; its template is made when the bind is.
const RECORD_BYTES_MAX: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let _ = IbmFile::read(bytes);
    let Ok(file) = BindFile::read(bytes) else { return };
    let text = file.write().expect("what was read can be written");
    assert_eq!(BindFile::read(text.as_bytes()).as_ref(), Ok(&file));
    let _ = file.folder(37);
    let Ok((parts, _)) = file.parts(37) else { return };
    for part in parts.iter().flat_map(|parts| [Some(&parts.request), parts.response.as_ref()]).flatten() {
        if part.layout.max_bytes() <= RECORD_BYTES_MAX {
            let _ = Bind::compile(&part.layout, &part.options);
        }
    }
});
