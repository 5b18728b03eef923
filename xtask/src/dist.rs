//! `cargo xtask dist`: packages for other machines of this system.
//!
//! All packages have the same files, laid out as below `/usr`: the programs, the entry of the desktop's menu, and the
//! icon. Without the packages that the desktop window needs, they are built without it, and say so.

use crate::tools::{self, Failure, command, run};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAME: &str = "pilothouse";
/// Programs that users start.
const PROGRAMS: [&str; 2] = ["pilothouse", "pilothouse-desktop"];
/// The packages of Debian that the window runs with. The program works without.
const WINDOW_NEEDS: &str = "libwebkit2gtk-4.1-0, libgtk-3-0";

/// What is packed.
struct Release {
    /// The folder of the built programs.
    programs: PathBuf,
    version: String,
    /// The oldest C library that the programs run with.
    libc: String,
}

/// Builds everything, packs it, and prints where the packages are.
pub fn build() -> Result<(), Failure> {
    crate::steps::build_page()?;
    run("program", &mut command("cargo build --release --package app"))?;
    crate::steps::build_window()?;
    let release = Release { programs: tools::target_dir().join("release"), version: version()?, libc: libc_version()? };
    let folder = tools::target_dir().join("dist");
    let _ = std::fs::remove_dir_all(&folder);
    for package in pack(&release, &folder, &Packers::here())? {
        println!("{}", package.display());
    }
    Ok(())
}

/// The programs that make packages, if they are installed.
struct Packers {
    deb: Option<PathBuf>,
    app_image: Option<PathBuf>,
}

impl Packers {
    fn here() -> Packers {
        let found = |name: &str| tools::has(name).then(|| PathBuf::from(name));
        Packers { deb: found("dpkg-deb"), app_image: found("appimagetool") }
    }
}

/// Makes the packages that can be made here, and says what the others need.
fn pack(release: &Release, folder: &Path, packers: &Packers) -> Result<Vec<PathBuf>, Failure> {
    let (machine, debian) = match std::env::consts::ARCH {
        "x86_64" => ("x86_64", "amd64"),
        "aarch64" => ("aarch64", "arm64"),
        other => (other, other),
    };
    let name = format!("{NAME}-{}-{machine}-linux", release.version);
    let plain = folder.join(&name);
    lay_out(release, &plain)?;
    for file in ["README.md", "LICENSE"] {
        copy(&tools::root().join(file), &plain.join(file))?;
    }
    let mut packages = vec![archive(folder, &name)?];
    if let Some(dpkg) = &packers.deb {
        packages.push(deb(release, folder, dpkg, debian)?);
    } else {
        println!("No .deb package was made: dpkg-deb isn't installed. Install it with your package manager (dpkg).");
    }
    if let Some(tool) = &packers.app_image {
        packages.push(app_image(release, folder, tool, machine)?);
    } else {
        println!(
            "No AppImage was made: appimagetool isn't on PATH. Get it from https://github.com/AppImage/appimagetool."
        );
    }
    Ok(packages)
}

/// Puts the files where they belong below a prefix such as `/usr`.
fn lay_out(release: &Release, prefix: &Path) -> Result<(), Failure> {
    let mut has_window = false;
    for program in PROGRAMS {
        let built = release.programs.join(program);
        if built.is_file() {
            copy(&built, &prefix.join("bin").join(program))?;
            has_window |= program == PROGRAMS[1];
        }
    }
    if has_window {
        let entry = Path::new("share/applications").join(format!("{NAME}.desktop"));
        copy(&tools::root().join("packaging/pilothouse.desktop"), &prefix.join(entry))?;
    }
    let icon = Path::new("share/icons/hicolor/scalable/apps").join(format!("{NAME}.svg"));
    copy(&tools::root().join("ui/public/favicon.svg"), &prefix.join(icon))?;
    let license = Path::new("share/doc").join(NAME).join("copyright");
    copy(&tools::root().join("LICENSE"), &prefix.join(license))
}

fn archive(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    let package = folder.join(format!("{name}.tar.gz"));
    let mut tar = command("tar --owner=0 --group=0 -czf");
    run("tar.gz", tar.arg(&package).arg("-C").arg(folder).arg(name))?;
    Ok(package)
}

fn deb(release: &Release, folder: &Path, dpkg: &Path, machine: &str) -> Result<PathBuf, Failure> {
    let tree = folder.join("deb");
    lay_out(release, &tree.join("usr"))?;
    let control = format!(
        "Package: {NAME}\nVersion: {}\nArchitecture: {machine}\nMaintainer: The Pilothouse team\nSection: devel\n\
         Priority: optional\nDepends: libc6 (>= {}), libgcc-s1\nRecommends: {WINDOW_NEEDS}, git\n\
         Description: Run several AI coding agents at once\n Starts, steers, and supervises sessions of coding agents, \
         and keeps their work on boards.\n",
        release.version, release.libc
    );
    write(&tree.join("DEBIAN/control"), &control)?;
    let package = folder.join(format!("{NAME}_{}_{machine}.deb", release.version));
    let mut build = Command::new(dpkg);
    build.args(["--root-owner-group", "--build"]).arg(&tree).arg(&package).stdout(Stdio::null());
    run("deb", &mut build)?;
    Ok(package)
}

/// An AppImage starts the window; `pilothouse` is its command line.
fn app_image(release: &Release, folder: &Path, tool: &Path, machine: &str) -> Result<PathBuf, Failure> {
    let tree = folder.join("Pilothouse.AppDir");
    lay_out(release, &tree.join("usr"))?;
    for (from, to) in [
        (tools::root().join("packaging/pilothouse.desktop"), format!("{NAME}.desktop")),
        (tools::root().join("ui/public/favicon.svg"), format!("{NAME}.svg")),
    ] {
        copy(&from, &tree.join(to))?;
    }
    let start = "#!/bin/sh\nhere=$(dirname \"$(readlink -f \"$0\")\")\nexport PATH=\"$here/usr/bin:$PATH\"\nexec pilothouse \"$@\"\n";
    write(&tree.join("AppRun"), start)?;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(tree.join("AppRun"), mode).map_err(|e| format!("AppRun: {e}"))?;
    let package = folder.join(format!("Pilothouse-{}-{machine}.AppImage", release.version));
    run("AppImage", Command::new(tool).arg(&tree).arg(&package).env("ARCH", machine))?;
    Ok(package)
}

/// The version of the workspace.
fn version() -> Result<String, Failure> {
    let manifest = std::fs::read_to_string(tools::root().join("Cargo.toml")).map_err(|e| format!("Cargo.toml: {e}"))?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \""));
    Ok(line.ok_or("Cargo.toml: the workspace has no version.")?.trim_end_matches('"').to_owned())
}

/// The version of the C library here, which is the oldest that the programs are sure to run with.
fn libc_version() -> Result<String, Failure> {
    let output = command("getconf GNU_LIBC_VERSION").output().map_err(|e| format!("getconf: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().last().map(str::to_owned);
    version.ok_or_else(|| "getconf doesn't tell the version of the C library.".to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let told = |e: std::io::Error| format!("{} to {}: {e}", from.display(), to.display());
    std::fs::create_dir_all(to.parent().unwrap_or(to)).map_err(told)?;
    std::fs::copy(from, to).map(drop).map_err(told)
}

fn write(to: &Path, text: &str) -> Result<(), Failure> {
    let told = |e: std::io::Error| format!("{}: {e}", to.display());
    std::fs::create_dir_all(to.parent().unwrap_or(to)).map_err(told)?;
    std::fs::write(to, text).map_err(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(path: &Path, text: &str) {
        write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn said(command: &mut Command) -> String {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// A folder of the test that ends with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&folder);
            Folder(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn release(folder: &Path) -> Release {
        let programs = folder.join("built");
        script(&programs.join("pilothouse"), "#!/bin/sh\necho pilothouse \"$@\"\n");
        script(&programs.join("pilothouse-desktop"), "#!/bin/sh\necho window\n");
        Release { programs, version: "1.2.3".into(), libc: "2.36".into() }
    }

    #[test]
    fn each_package_installs_programs_that_run_with_menu_entry_and_icon() {
        let folder = Folder::new("dist");
        let release = release(&folder.0);
        // A fake of the real tool, which isn't available everywhere: it keeps the tree that it's given.
        let tool = folder.0.join("appimagetool");
        script(&tool, "#!/bin/sh\ncp -r \"$1\" \"$2\"\n");
        let packers = Packers { deb: Some("dpkg-deb".into()), app_image: Some(tool) };
        let packages = pack(&release, &folder.0.join("dist"), &packers).unwrap();
        let names: Vec<_> = packages.iter().map(|p| p.file_name().unwrap().to_str().unwrap()).collect();
        let machine = std::env::consts::ARCH;
        assert_eq!(names[0], format!("pilothouse-1.2.3-{machine}-linux.tar.gz"));
        assert!(names[1].starts_with("pilothouse_1.2.3_") && names[1].ends_with(".deb"), "{names:?}");
        assert_eq!(names[2], format!("Pilothouse-1.2.3-{machine}.AppImage"));

        let unpacked = folder.0.join("tar");
        std::fs::create_dir_all(&unpacked).unwrap();
        said(Command::new("tar").arg("-xzf").arg(&packages[0]).arg("-C").arg(&unpacked));
        let installed = folder.0.join("installed");
        said(Command::new("dpkg-deb").arg("--extract").arg(&packages[1]).arg(&installed));
        let plain = unpacked.join(format!("pilothouse-1.2.3-{machine}-linux"));
        assert!(plain.join("README.md").is_file());
        for prefix in [plain, installed.join("usr"), packages[2].join("usr")] {
            assert_eq!(said(Command::new(prefix.join("bin/pilothouse")).arg("help")), "pilothouse help\n");
            assert_eq!(said(&mut Command::new(prefix.join("bin/pilothouse-desktop"))), "window\n");
            let entry = std::fs::read_to_string(prefix.join("share/applications/pilothouse.desktop")).unwrap();
            assert!(entry.contains("MimeType=x-scheme-handler/pilothouse;\n"), "{entry}");
            assert!(prefix.join("share/icons/hicolor/scalable/apps/pilothouse.svg").is_file());
        }
        let about = said(Command::new("dpkg-deb").arg("--info").arg(&packages[1]));
        for line in ["Version: 1.2.3", "Depends: libc6 (>= 2.36), libgcc-s1", "Recommends: libwebkit2gtk-4.1-0"] {
            assert!(about.contains(line), "{about}");
        }
        let owners = said(Command::new("dpkg-deb").arg("--contents").arg(&packages[1]));
        assert!(owners.lines().all(|line| line.contains(" root/root ")), "{owners}");
        let run = packages[2].join("AppRun");
        assert_eq!(said(Command::new(run).arg("serve")), "pilothouse serve\n");
    }

    #[test]
    fn without_the_window_there_is_no_menu_entry() {
        let folder = Folder::new("dist-browser");
        let release = release(&folder.0);
        std::fs::remove_file(release.programs.join("pilothouse-desktop")).unwrap();
        let packages = pack(&release, &folder.0.join("dist"), &Packers { deb: None, app_image: None }).unwrap();
        let listed = said(Command::new("tar").arg("-tzf").arg(&packages[0]));
        assert!(listed.contains("bin/pilothouse\n") && !listed.contains(".desktop"), "{listed}");
    }

    #[test]
    fn versions_are_read() {
        assert!(version().unwrap().split('.').count() == 3);
        assert!(libc_version().unwrap().starts_with("2."));
    }
}
