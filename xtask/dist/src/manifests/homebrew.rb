class @CLASS@ < Formula
  desc "@ABOUT@"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: [@LICENCES@]

  on_macos do
    on_arm do
      url "@DOWNLOAD@/@ARCHIVE aarch64-apple-darwin@"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do
      url "@DOWNLOAD@/@ARCHIVE x86_64-apple-darwin@"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end
  on_linux do
    on_arm do
      url "@DOWNLOAD@/@ARCHIVE aarch64-unknown-linux-gnu@"
      sha256 "@SHA256 aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "@DOWNLOAD@/@ARCHIVE x86_64-unknown-linux-gnu@"
      sha256 "@SHA256 x86_64-unknown-linux-gnu@"
    end
  end

  def install
    bin.install "@NAME@"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/@NAME@.bash" => "@NAME@"
    zsh_completion.install "completions/_@NAME@"
    fish_completion.install "completions/@NAME@.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/@NAME@ version")
    system bin/"@NAME@", "run", "--duration", "1s"
  end
end
