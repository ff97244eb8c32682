//! Configurations of servers and rule sets.

use packages::{Limits, Package, PackageKind};

use crate::made::{notes, read, text};

fn server(inner: &str) -> Package {
    read(format!("\u{feff}<server description=\"A&#10;server\">\n{inner}</server>").as_bytes())
        .expect("a configuration")
}

#[test]
fn a_server_becomes_listeners_and_notes() {
    let package = server(
        "<variable name=\"port\" value=\"9081\"/>
<httpEndpoint host=\"*\" httpPort=\"${port}\" httpsPort=\"9443\"/>
<httpEndpoint id=\"off\" host=\"localhost\" httpPort=\"-1\" httpsPort=\"${unknown}\"/>
<zosconnect_cicsIpicConnection id=\"cics\" host=\"h\" port=\"1435\"/>
<zosconnect_zosConnectManager requireAuth=\"true\" requireSecure=\"false\" globalAdminGroup=\"G\" someSecret=\"hidden\"/>
<basicRegistry><user name=\"u\" password=\"hidden\"/></basicRegistry>
<zosconnect_zosConnectAPIs><zosConnectAPI name=\"a\" requireSecure=\"true\"/></zosconnect_zosConnectAPIs>
<zosconnect_services><service name=\"s\"><property name=\"x\"/></service></zosconnect_services>
<strange id=\"z\"/>\n",
    );
    assert_eq!((package.kind, package.name.as_str()), (PackageKind::Server, "server"));
    let file = text(&package, "gantry.toml");
    for line in [
        "# Made of package: A\n# server\n",
        "#   cics: cicsIpicConnection at h:1435\n",
        "# There: *:9081\n[[listener]]\naddress = \"127.0.0.1:9081\"\n",
        "# address = \"127.0.0.1:9443\"\n",
    ] {
        assert!(file.contains(line), "{line} in\n{file}");
    }
    assert_eq!(file.matches("\n[[listener]]").count(), 1, "{file}");
    toml::from_str::<toml::Table>(file).expect("TOML");
    let notes = notes(&package);
    for part in [
        "package:3: httpEndpoint: it listened on *",
        "package:4: httpEndpoint off: the port '${unknown}'",
        "package:5: zosconnect_cicsIpicConnection cics: in Gantry a connection",
        "someSecret = '***'",
        "basicRegistry: its users are named in users.txt",
        "zosConnectAPI a: requireSecure = 'true': write security.require_secure = true into apis/a/api.toml",
        "strange z: unknown",
    ] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
    assert!(!notes.contains("hidden") && !file.contains("hidden"));
}

#[test]
fn variables_may_name_variables() {
    let package = server(
        "<variable name=\"host\" value=\"${base}.example\"/><variable name=\"base\" defaultValue=\"cics\"/>\n\
         <variable name=\"a\" value=\"${b}\"/><variable name=\"b\" value=\"${a}\"/>\n\
         <zosconnect_endpointConnection id=\"one\" host=\"https://${host}\" port=\"443\"/>\n\
         <zosconnect_endpointConnection id=\"two\" host=\"https://${a}\"/>\n",
    );
    let file = text(&package, "gantry.toml");
    assert!(file.contains("[connections.one]\nurl = \"https://cics.example:443\"\n"), "{file}");
    let notes = notes(&package);
    assert!(!notes.contains("connection one: the url"), "{notes}");
    assert!(notes.contains("package:5: zosconnect_endpointConnection two: the url https://${"), "{notes}");
    // Each value is twice as long as the next one.
    let mut many: String =
        (0..40).map(|n| format!("<variable name=\"v{n}\" value=\"${{v{0}}}${{v{0}}}\"/>", n + 1)).collect();
    many += "<variable name=\"v40\" value=\"0123456789\"/><httpEndpoint httpPort=\"${v0}\"/>\n";
    assert!(self::notes(&server(&many)).contains("the port"));
}

#[test]
fn many_elements_with_ids_are_read_at_once() {
    let many: String = (0..100_000).map(|n| format!("<safRegistry id='i{n}'/>")).collect();
    assert_eq!(server(&many).kind, PackageKind::Server);
}

#[test]
fn interceptors_of_a_server_become_sections() {
    let package = server(
        "<zosconnect_zosConnectManager globalInterceptorsRef=\"all\" globalPolicyRef=\"p\"/>\n\
         <zosconnect_zosConnectInterceptors id=\"all\" interceptorRef=\"auth, audit\"/>\n\
         <zosconnect_authorizationInterceptor id=\"auth\"/>\n\
         <zosconnect_auditInterceptor id=\"audit\" sequence=\"7\" apiProviderSmfVersion=\"2\"\n\
         apiProviderRequestHeaders=\"X-Branch, Authorization\"/>\n\
         <fileSystemLogger id=\"a/b\" sequence=\"-1\"/>\n<zosconnect_policy id=\"p\"/>\n",
    );
    let text = &package.files()[0].text;
    let start = text.find("[[interceptor]]").expect("a section");
    let end = text.find("\n[security]").expect("another section");
    let sections = &text[start..end];
    assert_eq!(
        sections,
        "[[interceptor]]\nkind = \"audit\"\nname = \"audit\"\nsequence = 7\nrequest_headers = [\"X-Branch\"]\n\
         [interceptor.file]\npath = \".gantry/audit-audit.jsonl\"\n\n\
         [[interceptor]]\nkind = \"log\"\nname = \"a/b\"\nglobal = false\n[interceptor.file]\n\
         path = \".gantry/log-a_b.jsonl\"\n"
    );
    let notes: Vec<String> = package.notes().iter().map(ToString::to_string).collect();
    for part in [
        "zosconnect_auditInterceptor audit: apiProviderRequestHeaders: the header 'Authorization'",
        "fileSystemLogger a/b: its sequence is not a number",
        "fileSystemLogger a/b: no global list names it",
        "zosconnect_authorizationInterceptor auth: authorization is always there",
        "zosconnect_policy p: it names no rule set",
        "zosconnect_policy p: its rule set was for all APIs",
    ] {
        assert!(notes.iter().any(|note| note.contains(part)), "{part}: {notes:?}");
    }
}

#[test]
fn who_may_call_becomes_security() {
    let package = server(
        r#"<zosconnect_zosConnectManager requireSecure="false" globalAdminGroup="ops, root" globalInvokeGroup="staff"/>
<basicRegistry realm="r"><user name="mary o'hara" password="hidden1"/><user name="tom" password="hidden2"/>
<group name="staff"><member name="tom"/></group><group name="ops"><member name="tom"/></group></basicRegistry>
<ldapRegistry host="ldap.example.com" port="636" sslEnabled="true" baseDN="o=ex" bindDN="cn=g" bindPassword="hidden3">
<customFilters userFilter="(&amp;(uid=%v)(objectclass=person))" userIdMap="*:uid" groupMemberIdMap="groupOfNames:member;x:y"/>
</ldapRegistry>
<openidConnectClient id="oidc" issuerIdentifier="https://login" audiences="a, b" jwkEndpointUrl="https://login/keys"
 signatureAlgorithm="ES256" userIdentityToCreateSubject="email" authFilterRef="f"/>
<mpJwt id="nokeys" issuer="x"/>"#,
    );
    let file = text(&package, "gantry.toml");
    let expected = r#"
[security]
roles.admin = ["ops", "root"]
roles.invoke = ["staff"]

[[security.authenticator]]
kind = "basic"
users = "users.txt"

[[security.authenticator]]
kind = "ldap"
servers = ["ldaps://ldap.example.com:636"]
bind_dn = "cn=g"
bind_password = { file = "secrets/ldap" }
user_base = "o=ex"
user_filter = "(&(uid={user})(objectclass=person))"
name_attribute = "uid"
group_base = "o=ex"
group_filter = "(member={dn})"

[[security.authenticator]]
kind = "jwt"
issuer = "https://login"
audiences = ["a", "b"]
algorithms = ["ES256"]
jwks_url = "https://login/keys"
user_claim = "email"
"#;
    assert!(file.ends_with(expected), "{file}");
    toml::from_str::<toml::Table>(file).expect("TOML");
    let users = text(&package, "users.txt");
    assert!(users.contains(r"#   gantry user add users.txt 'mary o'\''hara'"), "{users}");
    assert!(users.contains("#   gantry user add users.txt 'tom' --groups 'staff,ops'"), "{users}");
    assert!(users.lines().all(|line| line.starts_with('#')), "{users}");
    let notes = notes(&package);
    for part in ["oidc: authFilterRef = 'f' is not imported", "nokeys: its keys are in a key store"] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
    assert!(![file, users, notes.as_str()].iter().any(|text| text.contains("hidden")));
}

#[test]
fn what_stands_twice_is_one_and_what_cannot_be_is_told() {
    let package = server(
        "<zosconnect_zosConnectManager requireAuth=\"maybe\" globalAdminGroup=\"first\"/>
<zosconnect_zosConnectManager globalAdminGroup=\"second\"/>
<basicRegistry><user name=\"fred\"/><user name=\"fred\"/><user/></basicRegistry>
<quickStartSecurity userName=\"fred\"/>
<zosconnect_endpointConnection id=\"c\" host=\"https://a\" port=\"1\"/>
<zosconnect_endpointConnection id=\"c\" port=\"2\"/>
<zosconnect_zosConnectServiceRestClientConnection id=\"c\" host=\"https://b\"/>
<zosconnect_endpointConnection id=\"d\" host=\"two words\"/>
<zosconnect_endpointConnection id=\"e\" host=\"https://e\" port=\"99999\"/>\n",
    );
    let file = text(&package, "gantry.toml");
    toml::from_str::<toml::Table>(file).expect("TOML");
    for line in ["roles.admin = [\"second\"]\n", "[connections.c]\nurl = \"https://a:2\"\n"] {
        assert_eq!(file.matches(line).count(), 1, "{line} in\n{file}");
    }
    assert_eq!(file.matches("[connections.").count(), 1, "{file}");
    assert_eq!(text(&package, "users.txt").matches("gantry user add").count(), 1);
    let notes = notes(&package);
    for part in [
        "package:2: zosconnect_zosConnectManager: requireAuth = 'maybe': expected true or false",
        "package:4: user fred: 'fred' is there already",
        "package:4: user: expected 'name'",
        "package:5: quickStartSecurity: 'fred' is there already",
        "package:8: zosconnect_zosConnectServiceRestClientConnection c: 'c' is there already",
        "package:9: zosconnect_endpointConnection d: 'http://two words' is not an address",
        "package:10: zosconnect_endpointConnection e: '99999' is not a port (1 to 65535)",
    ] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
}

#[test]
fn without_a_registry_callers_stay_unknown_and_that_is_told() {
    let package = server("<zosconnect_zosConnectManager requireAuth=\"true\" requireSecure=\"true\"/>");
    assert!(notes(&package).contains("callers had to be known"), "{}", notes(&package));
    let file = text(&package, "gantry.toml");
    assert!(file.contains("# require_secure = true\n"), "{file}");
    let open = server("<zosconnect_zosConnectManager requireAuth=\"false\" requireSecure=\"false\"/>");
    assert!(!text(&open, "gantry.toml").contains("[security]"));
}

#[test]
fn connections_to_ims_are_told_as_what_they_are() {
    let package = server(
        r#"<zosconnect_imsConnection id="imsConn" connectionFactoryRef="factory" imsDatastoreName="IMS1"/>
<connectionFactory id="factory" containerAuthDataRef="user"><properties.gmoa hostName="ims" portNumber="9999"/></connectionFactory>
<authData id="user" user="u" password="hidden"/>"#,
    );
    let (notes, file) = (notes(&package), text(&package, "gantry.toml"));
    assert!(notes.contains("imsConnection imsConn: in Gantry a connection is part of [provider]"), "{notes}");
    assert!(notes.contains("connectionFactory factory: it led to IMS"), "{notes}");
    assert!(!notes.contains("queue manager") && !notes.contains("unknown"), "{notes}");
    assert!(file.contains("imsConn: imsConnection") && !file.contains("[queue_manager]"), "{file}");
}

#[test]
fn connections_to_remote_apis_become_sections() {
    let package = server(
        r#"<zosconnect_endpointConnection id="stock" host="https://stock.example.com" port="8443" domainBasePath="/v2/"
 connectionTimeout="5s" receiveTimeout="1m30s" authenticationConfigRef="basic" sslCertsRef="certs"/>
<zosconnect_endpointConnection id="rates" host="http://rates" port="80" receiveTimeout="0" authenticationConfigRef="oauth"/>
<zosconnect_endpointConnection id="here" host="http://localhost" port="80" authenticationConfigRef="nowhere"/>
<zosconnect_authData id="basic" user="u" password="hidden"/>
<zosconnect_authData id="client" user="c" password="hidden"/>
<zosconnect_oAuthConfig id="oauth" grantType="client_credentials" authServerRef="server"/>
<zosconnect_authorizationServer id="server" tokenEndpoint="https://login/token" basicAuthRef="client"/>"#,
    );
    let file = text(&package, "gantry.toml");
    let expected = r#"
[connections.stock]
url = "https://stock.example.com:8443/v2"
connect_timeout_ms = 5000
response_timeout_ms = 90000
auth = { kind = "basic", user = "u", password = { file = "secrets/basic" } }

[connections.rates]
url = "http://rates:80"
# allow_plaintext = true   # without it, http reaches this machine alone
[connections.rates.auth]
kind = "oauth2"
token_url = "https://login/token"
client_id = "c"
client_secret = { file = "secrets/oauth" }

[connections.here]
url = "http://localhost:80"
"#;
    assert!(file.ends_with(expected), "{file}");
    toml::from_str::<toml::Table>(file).expect("TOML");
    let notes = notes(&package);
    for part in [
        "stock: sslCertsRef = 'certs': certificates are PEM files",
        "stock: its secret is to be in the file \"secrets/basic\"",
        "rates: it goes out without TLS",
        "rates: receiveTimeout = '0' is not imported",
        "here: the element 'nowhere'",
    ] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
    assert!(!notes.contains("here: it goes out") && !file.contains("hidden") && !notes.contains("hidden"));
}

#[test]
fn choices_of_objects_are_told_as_they_are_to_be_written() {
    let package = server(
        r#"<zosconnect_zosConnectAPIs><zosConnectAPI name="a" adminGroup="x,y" policyRef="p" location="l"/>
</zosconnect_zosConnectAPIs><zosconnect_apiRequesters><apiRequester name="r" requireAuth="false"/></zosconnect_apiRequesters>
<zosconnect_zosConnectManager globalPolicyRef="p" requireAuth="false" requireSecure="false"/>
<zosconnect_policy id="p"><ruleset file="mirror rules.xml"/><ruleset file="b.xml"/></zosconnect_policy>
<cors domain="/a" allowedOrigins="https://x, https://y" allowCredentials="true" maxAge="60"/>"#,
    );
    assert!(text(&package, "gantry.toml").contains("# policy = \"mirror_rules\"\n"));
    let notes = notes(&package);
    for part in [
        r#"adminGroup = 'x,y': write security.roles.admin = ["x", "y"] into apis/a/api.toml"#,
        r#"policyRef = 'p': write policy = "p" into apis/a/api.toml"#,
        "location = 'l' is not imported",
        "requireAuth = 'false': write security.require_auth = false into requesters/r/requester.toml",
        "import its rule sets too: gantry import mirror rules.xml b.xml",
        "it has several rule sets",
        r#"for /a: write cors = { origins = ["https://x", "https://y"], credentials = true, max_age_s = 60 }"#,
    ] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
}

#[test]
fn a_rule_set_serves_as_it_is() {
    let text = "<ruleset name=\"r\">\n<rule name=\"x\"/></ruleset>\n";
    let package =
        packages::read("conf/mirror rules.xml", text.as_bytes(), &Limits::default()).expect("a rule set");
    assert_eq!((package.kind, package.name.as_str()), (PackageKind::Policy, "mirror_rules"));
    let file = &package.files()[0];
    assert_eq!((file.path.as_str(), file.text.as_str()), ("policies/mirror_rules.xml", text));
}

#[test]
fn queues_of_a_server_are_queues_with_aliases_by_their_jndi_names() {
    let package = server(
        "<variable name=\"q\" value=\"STOCK.QUERY\"/>
<jmsConnectionFactory id=\"cf\" jndiName=\"jms/cf1\"><properties.wmqJms transportType=\"BINDINGS\" queueManager=\"MQS1\"/></jmsConnectionFactory>
<jmsQueue id=\"one\" jndiName=\"jms/stockRequest\"><properties.wmqJms baseQueueName=\"${q}\" CCSID=\"37\"/></jmsQueue>
<jmsQueue id=\"two\" jndiName=\"jms/stock replies\"><properties.wmqJms baseQueueName=\"STOCK.REPLY\"/></jmsQueue>
<jmsQueue id=\"three\" jndiName=\"jms/none\"/>
<mqzosconnect_mqzOSConnectService id=\"stockquery\" destination=\"jms/stockRequest\" replyDestination=\"STOCK.REPLY\" waitInterval=\"5000\"/>\n",
    );
    let file = text(&package, "gantry.toml");
    let expected = "[queue_manager]\nname = \"MQS1\"\n\n[[queue_manager.queue]]\nname = \"STOCK.QUERY\"\n\n\
                    [[queue_manager.queue]]\nname = \"jms/stockRequest\"\ntype = \"alias\"\nalias_of = \"STOCK.QUERY\"\n\n\
                    [[queue_manager.queue]]\nname = \"STOCK.REPLY\"\n";
    assert!(file.ends_with(expected), "{file}");
    toml::from_str::<toml::Table>(file).expect("TOML");
    let service = "# The service stockquery needs this in services/stockquery.toml:\n# [provider]\n# kind = \"queue\"\n\
                   # destination = \"jms/stockRequest\"\n# reply_destination = \"STOCK.REPLY\"\n# wait_ms = 5000\n# on_timeout = \"204\"\n";
    assert!(file.contains(service), "{file}");
    let notes = notes(&package);
    for part in [
        "jmsConnectionFactory cf: it led to MQS1; in Gantry services use its own queue manager",
        "jmsQueue two: 'jms/stock replies' cannot be the name of a queue: services that use it need STOCK.REPLY",
        "jmsQueue three: expected 'baseQueueName'",
        "mqzosconnect_mqzOSConnectService stockquery: its [provider] is in gantry.toml",
    ] {
        assert!(notes.contains(part), "{part} in\n{notes}");
    }
}
