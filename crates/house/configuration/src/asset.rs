//! The assets of API projects as services: programs with a channel, a commarea or a message, and
//! servers of JSON.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use channel::{Interface, Side};
use codepage::Encoding;
use conversion::Conversion;
use interface::IEEE_ORDER_OF_PROGRAMS;
use packages::Asset;
use providers::{Origin, Payloads};
use service::Service;
use settings::GANTRY_FILE;
use toml::Spanned;

use super::loader::Loader;
use super::own_programs::Gives;
use super::project::AssetService;
use super::service::ServiceLoader;
use super::services::{Given, Services};
use super::written::{ProviderSection, default_timeout_ms};
use gateway::RunningService;

/// The code page of programs whose asset gives none.
const CCSID: u16 = 37;
/// Makes services from assets.
pub(super) struct AssetReader<'a, 'f, 'g> {
    pub(super) loader: &'a mut Loader<'f>,
    pub(super) given: &'a mut Given<'g>,
    /// The API's name.
    pub(super) api: &'a str,
    /// The folder of the project, with a slash at the end.
    pub(super) folder: &'a str,
    /// The options of the project's build.
    pub(super) options: &'a BTreeMap<String, String>,
}

impl<'g> AssetReader<'_, '_, 'g> {
    /// Makes the service of an asset, and adds it to the others.
    pub(super) fn service(&mut self, asset: &Asset, services: &mut Services) -> Option<AssetService> {
        if asset.kind.starts_with("cicsChannel") {
            return self.channel(asset, services);
        }
        let kinds = [("cicsCommarea", "commarea"), ("ims", "message")];
        if let Some((_, wrapper)) = kinds.into_iter().find(|(kind, _)| asset.kind.starts_with(kind)) {
            return self.described(asset, wrapper, services);
        }
        if asset.kind.starts_with("db2") {
            return self.json(asset, services);
        }
        let message = format!(
            "assets of type {} are not known; there are cicsChannel, cicsCommarea, ims and db2",
            asset.kind
        );
        self.fault(asset, message);
        None
    }

    fn fault(&mut self, asset: &Asset, message: impl Into<String>) {
        let file = format!("{}zosAssets/{}/zosAsset.yaml", self.folder, asset.name);
        self.loader.at_file(&file, message);
    }

    /// A program with a channel. The schemas that the build made describe its containers.
    fn channel(&mut self, asset: &Asset, services: &mut Services) -> Option<AssetService> {
        let is_programs =
            self.bound(asset, services).is_some_and(|provider| provider.get_ref().0.runs_here());
        let mut options = self.channel_options(asset)?;
        if is_programs {
            options.ieee_order = Some(IEEE_ORDER_OF_PROGRAMS);
            options.encoding = self.encoding_of_programs().unwrap_or(options.encoding);
        }
        let request = self.interface(asset, Side::Request, &options);
        let response = self.interface(asset, Side::Response, &options);
        let ((request, request_schema), (response, response_schema)) = (request?, response?);
        let conversion = Conversion::Channel {
            request: Arc::new(request),
            response: Arc::new(response),
            schemas: [request_schema.into(), response_schema.into()],
        };
        self.add(asset, conversion, services)
    }

    /// A program with a commarea or a message. A service file describes it, made from the asset's
    /// interfaces or by the user.
    fn described(
        &mut self,
        asset: &Asset,
        wrapper: &'static str,
        services: &mut Services,
    ) -> Option<AssetService> {
        let (own, program) = (asset.service_name(self.api), asset.program());
        let known = [own.as_str(), &asset.name, program].into_iter().find(|name| services.has(name));
        let Some(known) = known else {
            services.programs.insert(program.to_owned());
            if asset.has_interfaces() {
                // Its faults are already reported.
                return None;
            }
            let message = format!(
                "the structures of {program} are not in the project (there is no providerFiles/request.dai): describe \
                 them in services/{program}.toml, with naming = \"cobol\""
            );
            self.fault(asset, message);
            return None;
        };
        Some(AssetService { service: known.to_owned(), wrapper: Some(wrapper) })
    }

    /// A server of JSON.
    fn json(&mut self, asset: &Asset, services: &mut Services) -> Option<AssetService> {
        let schema = |side: &str| {
            let path = format!("{}zosAssets/{}/providerFiles/{side}Schema.json", self.folder, asset.name);
            self.loader.files.read(&path).unwrap_or_else(|_| "{}".to_owned()).into()
        };
        let conversion = Conversion::Json { schemas: [schema("request"), schema("response")] };
        self.add(asset, conversion, services)
    }

    /// Adds the service of an asset without a service file.
    fn add(
        &mut self,
        asset: &Asset,
        conversion: Conversion,
        services: &mut Services,
    ) -> Option<AssetService> {
        let name = asset.service_name(self.api);
        let service = Service {
            name: name.clone(),
            description: asset.description.clone(),
            timeout: Duration::from_millis(default_timeout_ms()),
            provider: self.provider(asset, &name, services)?,
        };
        services.add(&name, RunningService { service: Arc::new(service), conversion, zos_provider: None });
        Some(AssetService { service: name, wrapper: None })
    }

    /// The CCSID of an asset in its project.
    fn ccsid(&self, asset: &Asset) -> Option<String> {
        asset.properties.get("ccsid").or_else(|| self.options.get("ccsid")).cloned()
    }

    /// The provider of the asset, if there is one.
    fn bound(&self, asset: &Asset, services: &mut Services) -> Option<&'g Spanned<ProviderSection>> {
        let of_program = (asset.program(), Gives::Channel);
        services.bound_or_own(self.given.gantry, &asset.service_name(self.api), of_program)
    }

    /// The text encoding for programs that run here. It does not depend on their code page on the
    /// mainframe.
    fn encoding_of_programs(&self) -> Option<Encoding> {
        self.given.region.ccsid().and_then(Encoding::by_ccsid)
    }

    /// The encoding of an asset's text; none if its CCSID is not known.
    fn encoding(&self, asset: &Asset) -> Option<Encoding> {
        match self.ccsid(asset) {
            Some(text) => text.parse().ok().and_then(Encoding::by_ccsid),
            None => Encoding::by_ccsid(CCSID),
        }
    }

    fn channel_options(&mut self, asset: &Asset) -> Option<channel::Options> {
        let Some(encoding) = self.encoding(asset) else {
            let ccsid = self.ccsid(asset);
            self.fault(asset, format!("CCSID {} is not known", ccsid.unwrap_or_default()));
            return None;
        };
        let mut options = channel::Options::zos_connect(encoding);
        if let Some(length) = self.number(asset, "defaultCharacterMaxLength")? {
            options.default_char_max = length;
        }
        if let Some(digits) = self.number(asset, "defaultFractionDigits")? {
            options.default_fraction_digits = digits;
        }
        Some(options)
    }

    /// A numeric option of the build. The inner none means that it is not given, the outer one that
    /// it is not a number.
    fn number<T: std::str::FromStr>(&mut self, asset: &Asset, name: &str) -> Option<Option<T>> {
        let Some(text) = self.options.get(name) else { return Some(None) };
        let number = text.parse().ok();
        if number.is_none() {
            self.fault(asset, format!("config/options.yaml: {name} is '{text}', not a number that fits"));
        }
        number.map(Some)
    }

    /// One side of the program's channel, with its schema.
    fn interface(
        &mut self,
        asset: &Asset,
        side: Side,
        options: &channel::Options,
    ) -> Option<(Interface, String)> {
        let file = match side {
            Side::Request => "requestSchema.json",
            Side::Response => "responseSchema.json",
        };
        let path = format!("{}zosAssets/{}/providerFiles/gen/{file}", self.folder, asset.name);
        let text = match self.loader.files.read(&path) {
            Ok(text) => text,
            Err(error) => {
                self.loader.at_file(&path, format!("cannot be read: {error}"));
                return None;
            }
        };
        match Interface::compile(&text, side, options) {
            Ok(interface) => Some((interface, text)),
            Err(diagnostics) => {
                for diagnostic in diagnostics {
                    self.loader.at_file(&path, diagnostic.to_string());
                }
                None
            }
        }
    }

    /// The provider of the service or of its program in `gantry.toml`.
    fn provider(
        &mut self,
        asset: &Asset,
        name: &str,
        services: &mut Services,
    ) -> Option<Arc<dyn service::ServiceProvider>> {
        let bound = self.bound(asset, services);
        let encoding = self.encoding(asset);
        let path = GANTRY_FILE;
        let mut loader = ServiceLoader {
            loader: &mut *self.loader,
            given: &mut *self.given,
            path,
            name,
            record_max_bytes: 0,
            origin: Origin::Asset,
            bound,
            is_transformed: false,
        };
        loader.provider_of(None, (encoding, Payloads::Channels), None)
    }
}
