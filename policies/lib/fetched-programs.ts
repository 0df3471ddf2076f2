/** Downloads that run without comparing a checksum or signature. */
export function runsWhatItFetches(script: string): boolean {
  return !COMPARED.test(script) && (AT_ONCE.some((pattern) => pattern.test(script)) || runsFile(script));
}

const COMPARED =
  /\bsha(256|384|512)?sum\b(?:(?!\bsha)[^\n;&|])*\s(-c|--check)\b|\b(cosign|gpg|minisign)\b(?:(?!\b(?:cosign|gpg|minisign)\b)[^\n;&|])*\bverify/;

const FETCHES = "(curl|wget)\\b";
const SUDO = "(sudo\\s+(-\\S+\\s+)*)?([^\\s;&|()]*/)?";
const SHELL = "(ba|da|z|k)?sh";
const LANGUAGE = "(python|perl|ruby|node|php)[\\d.]*";
/** A command that ends with the program's name: with arguments it reads data. */
const ALONE = "\\s*(-\\s*)?($|[\\n;&|)\"'])";

const AT_ONCE: readonly RegExp[] = [
  new RegExp(`\\b${FETCHES}(?:(?!${FETCHES})[^;&\\n])*\\|\\s*${SUDO}(${SHELL}\\b|${LANGUAGE}${ALONE})`),
  new RegExp(
    `(^|[\\s;&|(])(eval|source|\\.|([^\\s;&|()]*/)?${SHELL})\\s+(-\\w+\\s+)*["']?(\\$\\(|\`|<\\()\\s*${FETCHES}`,
  ),
  /\bexec\s*\([^\n]*\b(urlopen|urlretrieve|requests\.get)\b/,
  /\bkubectl\b(?:(?!kubectl\b)[^\n;&|])*\s(-f|-k|--filename|--kustomize)[\s=]*["']?https?:/,
  /\b(pipx?|pip3|uv|npm|npx|pnpm|yarn)\b(?:(?!\b(?:pipx?|pip3|uv|npm|npx|pnpm|yarn)\b)[^\n;&|])*\s["']?(\S{1,300}\s*@\s*)?(git\+|https?:)\S{0,2000}(\.(tar\.gz|tgz|zip|whl|git)\b|\bgit\b)/,
];

const FETCHING = new RegExp(`(?:^|\\s)(?:\\S*/)?${FETCHES}`);

/** By option, redirection, or the address's last part. */
function fileOf(command: string): string | undefined {
  const [, program] = FETCHING.exec(command) ?? [];
  if (program === undefined) {
    return undefined;
  }
  const option = program === "curl" ? /\s(?:-\w*o|--output)[\s=]*(\S+)/ : /\s(?:-\w*O|--output-document)[\s=]*(\S+)/;
  const named = option.exec(command)?.[1] ?? />\s*([^\s&]+)/.exec(command)?.[1];
  const isNamedByAddress = program === "wget" || /\s(-\w*O|--remote-name)\b/.test(command);
  const file = named ?? (isNamedByAddress ? /https?:\S*\/([^\s/?#"']+)/.exec(command)?.[1] : undefined);
  return file?.replace(/["']/g, "");
}

/** Each command is read once: it runs an earlier download, or downloads itself. */
function runsFile(script: string): boolean {
  const fetched = new Set<string>();
  for (const command of script.split(/[\n;]|&&|\|\|/)) {
    if (filesRunBy(command).some((file) => fetched.has(here(file)))) {
      return true;
    }
    const file = fileOf(command);
    if (file !== undefined && file !== "-") {
      fetched.add(here(file));
    }
  }
  return false;
}

const INTERPRETER = new RegExp(`^([^;&|()]*/)?(${SHELL}|source|\\.|${LANGUAGE})$`);

/** Executed or made executable: the command, an interpreter's script, the files of `chmod`. */
function filesRunBy(command: string): readonly string[] {
  const words = command.replace(/["']/g, "").trim().split(/\s+/);
  const [program = "", ...given] = words[0] === "sudo" ? withoutOptions(words.slice(1)) : words;
  if (program === "chmod") {
    return given;
  }
  return INTERPRETER.test(program) ? [program, ...withoutOptions(given).slice(0, 1)] : [program];
}

function withoutOptions(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !word.startsWith("-"));
  return first === -1 ? [] : words.slice(first);
}

/** `./a` is `a`. */
const here = (file: string) => file.replace(/^\.\//, "");
