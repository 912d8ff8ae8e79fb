//! Passwords and tokens, and the text that they must not appear in.

use std::fmt;

/// The text in the place of a secret.
pub const HIDDEN: &str = "*****";

/// A text that is never shown: neither `Debug` nor `Display` tells it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text itself, for the line that is sent and for nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Hides secrets in texts that come from outside, such as an answer of a server that repeats the password.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    secrets: Vec<Secret>,
}

impl Redactor {
    /// One that hides these; empty ones hide nothing.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Redactor {
        let mut redactor = Redactor::default();
        for secret in secrets {
            redactor.add(secret);
        }
        redactor
    }

    /// Hides one more. Longer ones are hidden first, since they may contain shorter ones.
    pub fn add(&mut self, secret: Secret) {
        if !secret.0.is_empty() && !self.secrets.contains(&secret) {
            self.secrets.push(secret);
            self.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.0.len()));
        }
    }

    /// The text with [`HIDDEN`] in the place of each secret.
    ///
    /// ```
    /// use komainu_tools::csa::secret::{Redactor, Secret};
    ///
    /// let redactor = Redactor::new([Secret::new("open"), Secret::new("open sesame")]);
    /// assert_eq!(redactor.hide("LOGIN me open sesame"), "LOGIN me *****");
    /// ```
    pub fn hide(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_string(), |text, secret| {
            if text.contains(&secret.0) { text.replace(&secret.0, HIDDEN) } else { text }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_told_by_reveal_only() {
        let secret = Secret::new("sesame");
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "***** ***** Some(*****)");
        assert_eq!(secret.reveal(), "sesame");
    }

    #[test]
    fn no_secret_stays_in_a_text() {
        let redactor = Redactor::new([Secret::new("ab"), Secret::new(""), Secret::new("abc"), Secret::new("ab")]);
        assert_eq!(redactor.hide("abcab x ab"), "********** x *****");
        assert_eq!(Redactor::default().hide("ab"), "ab");
    }
}
