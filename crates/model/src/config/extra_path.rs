//! Extra paths (A6, P13): a file, a folder or a glob outside the fixed set.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use super::paths::normalize;
use crate::error::{Code, Error, Result};

/// One configured extra path.
#[derive(Debug, Clone)]
pub struct ExtraPath {
    /// As configured, for messages.
    pub written: String,
    /// Absolute; for a glob the folder above its first wildcard.
    pub root: PathBuf,
    /// For a glob, what it says about paths below `root`.
    glob: Option<Glob>,
}

#[derive(Debug, Clone)]
struct Glob {
    matcher: GlobMatcher,
    /// Deepest level a match can have below the root; none when `**` allows any.
    depth: Option<usize>,
}

impl ExtraPath {
    /// Reads an absolute or workspace-relative path. Wildcards make it a glob, unless a file or folder of exactly
    /// that name exists.
    ///
    /// # Errors
    /// `Config` when the glob cannot be understood.
    pub fn parse(written: &str, workspace_dir: &Path) -> Result<Self> {
        let full = workspace_dir.join(written);
        let is_glob = has_wildcard(written) && full.symlink_metadata().is_err();
        if !is_glob {
            return Ok(Self { written: written.to_owned(), root: normalize(&full), glob: None });
        }
        // Without wildcards only below the last folder before the first one: `..` must not cross a wildcard.
        let mut root = PathBuf::new();
        let mut pattern: Vec<String> = Vec::new();
        for component in full.components() {
            let text = component.as_os_str().to_string_lossy();
            if !pattern.is_empty() || (matches!(component, Component::Normal(_)) && has_wildcard(&text)) {
                pattern.push(text.into_owned());
            } else {
                root.push(component);
            }
        }
        let depth = (!pattern.iter().any(|part| part.contains("**"))).then_some(pattern.len());
        let glob = GlobBuilder::new(&pattern.join("/"))
            .literal_separator(true)
            .build()
            .map_err(|error| Error::new(Code::Config, format!("the glob \"{written}\" is not understood: {error}")))?;
        let glob = Glob { matcher: glob.compile_matcher(), depth };
        Ok(Self { written: written.to_owned(), root: normalize(&root), glob: Some(glob) })
    }

    /// Whether it is a glob.
    #[must_use]
    pub const fn is_glob(&self) -> bool {
        self.glob.is_some()
    }

    /// Levels below the root that can hold a match; none = any.
    #[must_use]
    pub fn depth(&self) -> Option<usize> {
        self.glob.as_ref().and_then(|glob| glob.depth)
    }

    /// Whether an absolute path is the configured file, lies below the configured folder or matches the glob.
    #[must_use]
    pub fn contains(&self, absolute: &Path) -> bool {
        match (absolute.strip_prefix(&self.root), &self.glob) {
            (Err(_), _) => false,
            (Ok(_), None) => true,
            (Ok(below), Some(glob)) => glob.matcher.is_match(below),
        }
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(written: &str) -> ExtraPath {
        ExtraPath::parse(written, Path::new("/ws")).expect("valid")
    }

    #[test]
    fn a_plain_path_is_made_absolute() {
        assert_eq!(parse("../team/./docs").root, Path::new("/team/docs"));
        assert_eq!(parse("/srv/a.md").root, Path::new("/srv/a.md"));
        assert!(parse("notes").contains(Path::new("/ws/notes/deep/a.md")));
        assert!(!parse("notes").contains(Path::new("/ws/notes2/a.md")));
    }

    #[test]
    fn a_star_stays_inside_one_folder_and_two_stars_do_not() {
        let flat = parse("/srv/*/notes/*.md");
        assert_eq!((flat.root.as_path(), flat.depth()), (Path::new("/srv"), Some(3)));
        assert!(flat.contains(Path::new("/srv/a/notes/x.md")));
        assert!(!flat.contains(Path::new("/srv/a/b/notes/x.md")));
        let deep = parse("docs/**/*.md");
        assert_eq!((deep.root.as_path(), deep.depth()), (Path::new("/ws/docs"), None));
        assert!(deep.contains(Path::new("/ws/docs/x.md")) && deep.contains(Path::new("/ws/docs/a/b/x.md")));
        assert!(!deep.contains(Path::new("/ws/docs/x.txt")));
    }

    #[test]
    fn a_glob_that_makes_no_sense_is_an_error_and_no_panic() {
        assert_eq!(
            ExtraPath::parse("/srv/{a", Path::new("/ws")).map(|_| ()).expect_err("unclosed").code(),
            Code::Config
        );
    }

    #[test]
    fn an_existing_file_with_wildcards_in_its_name_is_taken_literally() {
        let folder = tempfile::tempdir().expect("temporary folder");
        std::fs::create_dir(folder.path().join("a[1]")).expect("folder");
        let extra = ExtraPath::parse("a[1]", folder.path()).expect("valid");
        assert!(!extra.is_glob());
        assert!(extra.contains(&folder.path().join("a[1]/x.md")));
    }
}
