//! Authorizes requests. Every request passes through this module before it is handled.
//!
//! Rejects requests from other sites, including DNS rebinding. All requests need a token, except for styles and
//! scripts.
//!
//! Start reading at [`admit`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, HeaderMap,
    HeaderValue, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::{Access, Role};
use crate::answer::Refused;
use crate::limits::Bucket;
use crate::page::refusal;

/// Maximum rate of requests over all clients: requests per second, and burst size. A user who opens
/// ten pages causes about thirty requests.
const RATE: (f64, f64) = (200.0, 600.0);
/// Maximum rate of requests with invalid tokens: attempts per second, and burst size. At this rate,
/// a 256-bit token cannot be guessed.
const WRONG: (f64, f64) = (0.5, 20.0);
/// The content security policy, which forbids external resources and inline scripts. Inline styles are allowed, because
/// Plot needs them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data: blob:; connect-src 'self'; font-src 'none'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The access rules of a server.
pub(crate) struct Guard {
    /// The tokens. If there are none, everyone on this machine has read-only access.
    access: Option<Access>,
    /// The values of the `Host` header that are accepted, in lower case.
    hosts: Vec<String>,
    /// The scheme of the server's URLs.
    scheme: &'static str,
    cookie: String,
    rate: Bucket,
    wrong: Bucket,
    requests: AtomicU64,
    refused: AtomicU64,
}

impl Guard {
    /// Creates the rules for a server that can be reached under these host names and this port.
    pub(crate) fn new(access: Option<Access>, hosts: Vec<String>, is_tls: bool, port: u16) -> Self {
        Self {
            access,
            hosts: hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect(),
            scheme: if is_tls { "https" } else { "http" },
            // Browsers send a cookie to all ports of a host, so the cookie's name includes the
            // port.
            cookie: format!("tacho-{port}"),
            rate: Bucket::new(RATE.0, RATE.1),
            wrong: Bucket::new(WRONG.0, WRONG.1),
            requests: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Returns the total number of requests so far and the number of rejected ones.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.requests.load(Ordering::Relaxed), self.refused.load(Ordering::Relaxed))
    }

    /// Counts a connection that was closed without being read, because too many connections were
    /// open.
    pub(crate) fn turned_away(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    #[expect(clippy::disallowed_methods, reason = "used for rate limits, not for measurements")]
    fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Pass, Refused> {
        let now = std::time::Instant::now();
        if !self.rate.take(now) {
            return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, "too many requests")
                .hint("try again in a second"));
        }
        self.check_host(headers)?;
        self.check_origin(method, headers)?;
        if self.access.is_none() {
            return Ok(Pass::In(Role::Look));
        }
        if let Some(word) = token_in(uri) {
            // The user followed a link whose address contains a token. Move the token to a cookie, because other people
            // can easily see the address.
            return match self.role(&word, now)? {
                Some(_) if method == Method::GET => Ok(Pass::Welcome(word)),
                _ => Err(stranger()),
            };
        }
        let word = bearer(headers).or_else(|| cookie(headers, &self.cookie));
        let role = word.map_or(Ok(None), |word| self.role(&word, now))?;
        match role {
            Some(role) => Ok(Pass::In(role)),
            None => Err(stranger()),
        }
    }

    fn role(&self, word: &str, now: std::time::Instant) -> Result<Option<Role>, Refused> {
        let role = self.access.as_ref().and_then(|access| access.role(word));
        // A correct token is accepted even while another client tries invalid ones.
        if role.is_none() && !self.wrong.take(now) {
            return Err(Refused::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens")
                .hint("wait a few seconds"));
        }
        Ok(role)
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if self.hosts.contains(&host.to_ascii_lowercase())
            && headers.get_all(HOST).iter().count() == 1
        {
            return Ok(());
        }
        Err(Refused::new(StatusCode::FORBIDDEN, "this server does not accept that host name")
            .hint("to add a host name, use tacho serve --allow-host NAME"))
    }

    /// Rejects requests that come from another site. Browsers send the origin with every cross-site request.
    fn check_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refused> {
        let foreign =
            || Err(Refused::new(StatusCode::FORBIDDEN, "the request comes from another site"));
        if let Some(origin) = headers.get(ORIGIN) {
            let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
            let is_same = |host: &String| format!("{}://{host}", self.scheme) == origin;
            if !self.hosts.iter().any(is_same) {
                return foreign();
            }
        }
        let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        let safe = matches!(*method, Method::GET | Method::HEAD);
        // Allow other sites to link to a page. The browser sends such requests without the cookie, so the page is not
        // shown.
        match site {
            Some("cross-site" | "same-site") if !safe => foreign(),
            _ => Ok(()),
        }
    }
}

/// The outcome of a successful check.
enum Pass {
    /// The request is handled.
    In(Role),
    /// The address contains a token, which must be moved to a cookie.
    Welcome(String),
}

fn stranger() -> Refused {
    Refused::new(StatusCode::UNAUTHORIZED, "the token is missing or wrong")
        .hint("open the address that tacho serve printed, or send Authorization: Bearer TOKEN")
}

/// Passes a request on or rejects it.
pub(crate) async fn admit(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    guard.requests.fetch_add(1, Ordering::Relaxed);
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let page = wants_page(request.headers()) && !uri.path().starts_with("/api/");
    let mut response = match guard.check(&method, &uri, request.headers()) {
        // Styles and scripts contain no secrets. The page that asks for a token needs them before
        // the token is known.
        Err(refused) if is_public(&refused, &method, &uri) => next.run(request).await,
        Err(refused) if page => refusal(&refused),
        Err(refused) => refused.into_response(),
        Ok(Pass::Welcome(word)) => welcome(&guard, &uri, &word),
        Ok(Pass::In(role)) => {
            if let Err(refused) = allowed(role, &method, request.headers()) {
                refused.into_response()
            } else {
                request.extensions_mut().insert(role);
                next.run(request).await
            }
        }
    };
    if response.status().is_client_error() {
        guard.refused.fetch_add(1, Ordering::Relaxed);
    }
    harden(response.headers_mut());
    response
}

/// Returns true if this file needs no token. Other checks have already passed.
fn is_public(refused: &Refused, method: &Method, uri: &Uri) -> bool {
    let asset = uri.path().starts_with("/assets/");
    refused.status() == StatusCode::UNAUTHORIZED && method == Method::GET && asset
}

fn allowed(role: Role, method: &Method, headers: &HeaderMap) -> Result<(), Refused> {
    match *method {
        Method::POST if role == Role::Look => {
            Err(Refused::new(StatusCode::FORBIDDEN, "this token is read-only"))
        }
        // Accept only JSON, because a form on another site cannot send it.
        Method::POST if !is_json(headers) => {
            Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "only JSON is accepted")
                .hint("send Content-Type: application/json"))
        }
        Method::GET | Method::HEAD | Method::POST => Ok(()),
        _ => Err(Refused::new(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are supported")),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get("accept").and_then(|kinds| kinds.to_str().ok());
    accepted.is_some_and(|kinds| kinds.contains("text/html"))
}

/// Sets the cookie, and redirects to the same address without the token.
fn welcome(guard: &Guard, uri: &Uri, word: &str) -> Response {
    let secure = if guard.scheme == "https" { "; Secure" } else { "" };
    let cookie = format!("{}={word}; HttpOnly; SameSite=Strict; Path=/{secure}", guard.cookie);
    let rest: Vec<&str> = pairs(uri).filter(|pair| !pair.starts_with("token=")).collect();
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    // The path must not start with two slashes. Otherwise, the browser would go to another host.
    let path = format!("/{}{query}", uri.path().trim_start_matches('/'));
    let headers = [(LOCATION, path), (SET_COOKIE, cookie)];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn pairs(uri: &Uri) -> impl Iterator<Item = &str> {
    uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty())
}

fn token_in(uri: &Uri) -> Option<String> {
    pairs(uri).find_map(|pair| pair.strip_prefix("token=")).map(str::to_owned)
}

fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, word) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| word.trim().to_owned())
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(';')).find_map(|pair| {
        let (known, word) = pair.trim().split_once('=')?;
        (known == name).then(|| word.to_owned())
    })
}

fn harden(headers: &mut HeaderMap) {
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Token;

    const WORD: &str = "0123456789abcdef";

    fn guard() -> Guard {
        let token = |text| Token::given(text).expect("a token");
        let access =
            Access { control: token(WORD), look: token("fedcba9876543210"), read_only: false };
        Guard::new(
            Some(access),
            vec!["127.0.0.1:4100".into(), "localhost:4100".into()],
            false,
            4100,
        )
    }

    fn checked(method: &Method, uri: &str, headers: &[(&'static str, &str)]) -> u16 {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(*name, value.parse().expect("a value"));
        }
        let uri = uri.parse().expect("a URI");
        match guard().check(method, &uri, &all) {
            Ok(Pass::In(role)) => match allowed(role, method, &all) {
                Ok(()) => 200,
                Err(refused) => refused.status().as_u16(),
            },
            Ok(Pass::Welcome(_)) => 303,
            Err(refused) => refused.status().as_u16(),
        }
    }

    #[test]
    fn only_own_names_origins_and_tokens_get_in() {
        let (host, json) = (("host", "localhost:4100"), ("content-type", "application/json"));
        let bearer = format!("Bearer {WORD}");
        let key = ("authorization", bearer.as_str());
        let cookie = ("cookie", "a=b; tacho-4100=0123456789abcdef");
        let looker = ("authorization", "Bearer fedcba9876543210");
        let get = |headers: &[(&'static str, &str)]| checked(&Method::GET, "/", headers);
        let post = |headers: &[(&'static str, &str)]| checked(&Method::POST, "/", headers);
        assert_eq!(get(&[host, key]), 200);
        assert_eq!(get(&[host, cookie]), 200);
        assert_eq!(get(&[host, looker]), 200);
        assert_eq!(get(&[("host", "LOCALHOST:4100"), key]), 200);
        assert_eq!(get(&[host]), 401);
        assert_eq!(get(&[host, ("cookie", "tacho-4101=0123456789abcdef")]), 401);
        for other in
            ["evil.example:4100", "localhost", "localhost:80", "", "localhost:4100.evil.example"]
        {
            assert_eq!(get(&[("host", other), key]), 403, "{other}");
        }
        assert_eq!(get(&[key]), 403);
        assert_eq!(get(&[host, host, key]), 403);
        assert_eq!(post(&[host, key, json]), 200);
        assert_eq!(post(&[host, key, json, ("origin", "http://localhost:4100")]), 200);
        for other in [
            "null",
            "http://evil.example",
            "https://localhost:4100",
            "http://localhost:4100.evil.example",
        ] {
            assert_eq!(post(&[host, key, json, ("origin", other)]), 403, "{other}");
            assert_eq!(get(&[host, key, ("origin", other)]), 403, "{other}");
        }
        assert_eq!(post(&[host, cookie, json, ("sec-fetch-site", "cross-site")]), 403);
        assert_eq!(post(&[host, key]), 415);
        assert_eq!(post(&[host, looker, json]), 403);
        assert_eq!(checked(&Method::DELETE, "/", &[host, key]), 405);
        assert_eq!(checked(&Method::GET, "/?token=0123456789abcdef", &[host]), 303);
        assert_eq!(checked(&Method::GET, "/?token=0123456789abcdeg", &[host, key]), 401);
        assert_eq!(checked(&Method::POST, "/?token=0123456789abcdef", &[host, json]), 401);
    }

    #[test]
    fn wrong_tokens_are_slowed_down_and_right_ones_are_not() {
        let guard = guard();
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost:4100"));
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer wrong"));
        let uri = Uri::from_static("/");
        let statuses: Vec<u16> = (0..30)
            .filter_map(|_| guard.check(&Method::GET, &uri, &headers).err())
            .map(|refused| refused.status().as_u16())
            .collect();
        assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 20);
        assert_eq!(statuses.last(), Some(&429));
        let right = format!("Bearer {WORD}");
        headers.insert(AUTHORIZATION, right.parse().expect("a value"));
        assert!(guard.check(&Method::GET, &uri, &headers).is_ok());
    }

    #[test]
    fn a_link_leads_to_its_page_without_the_token() {
        let guard = guard();
        let uri = Uri::from_static("//evil.example/x?a=1&token=0123456789abcdef&b=2");
        let response = welcome(&guard, &uri, WORD);
        assert_eq!(response.headers()[LOCATION], "/evil.example/x?a=1&b=2");
        let cookie = response.headers()[SET_COOKIE].to_str().expect("text");
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    }
}
