import { askedOnce } from "./asked-once";

interface Format {
  readonly what: string;
  /** Most texts are shorter and skip the search. */
  readonly shortest: number;
  readonly pattern: RegExp;
}

/**
 * Published formats of tokens: AWS IAM identifiers (AKIA/ASIA), RFC 7468 (PEM), RFC 6750 (bearer),
 * RFC 7519 (JWT), and the prefixes of Hugging Face, GitHub, GitLab, Slack, OpenAI and NVIDIA NGC.
 */
const FORMATS: readonly Format[] = [
  { what: "an AWS access key id", shortest: 20, pattern: /\b(AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { what: "a private key", shortest: 27, pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/ },
  { what: "a JSON web token", shortest: 35, pattern: /(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/ },
  { what: "a bearer token", shortest: 23, pattern: /\bBearer\s+(?=\S*\d)[A-Za-z0-9._~+/-]{16,}/i },
  {
    what: "a name with its password",
    shortest: 24,
    pattern: /\bAuthorization["']?\s*[:=]\s*["']?Basic\s+[A-Za-z0-9+/]{8,}={0,2}/i,
  },
  {
    what: "a vendor's API token",
    shortest: 15,
    pattern:
      /\b(hf_[A-Za-z0-9]{30,}|gh[pousr]_[A-Za-z0-9]{36}|glpat-[\w-]{20}|xox[abprs]-[\w-]{10,}|sk-[\w-]{0,100}?(?=[A-Za-z]{0,100}\d)[A-Za-z0-9]{16,}|nvapi-[\w-]{30,})/,
  },
  {
    what: "a private key",
    shortest: 40,
    // Base64, as in kubeconfigs: BEGIN, and RSA, EC or OPENSSH before PRIVATE KEY.
    pattern: /LS0tLS1CRUdJTi(BQUklWQVRFIEtFW|BSU0EgUFJJVkFURSBLRV|BFQyBQUklWQVRFIEtFW|BPUEVOU1NIIFBSSVZBVEUgS0V)/,
  },
  {
    what: "a URL with a key",
    shortest: 16,
    pattern:
      /[?&](token|access_token|auth_token|api_?key|apikey|password|passwd|secret|client_secret|sig|signature|x-amz-signature)=(?=[^&\s]{0,500}\d)[^&\s$<>{}"']{8,}/i,
  },
  {
    what: "a webhook of Slack",
    shortest: 60,
    pattern: /\bhooks\.slack\.com\/services\/T\w{6,}\/B\w{6,}\/\w{16,}/,
  },
  {
    what: "a URL with a password",
    shortest: 8,
    pattern: /(?<![a-z0-9])[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]{1,1000}:[^\s:/@$]{1,1000}@/i,
  },
];

const NAMES =
  /(^|_)((PG)?PASSWORD|REQUIREPASS|MASTERAUTH|PRIMARYAUTH|REDISCLI_AUTH|PASSWD|PASS|PWD|PASSPHRASE|AUTHORIZATION|TOKEN|CLIENT_SECRET|(API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER)_?KEY)$/;
/** Bare `…_KEY` and `…_SECRET` are credentials in environment variables only; elsewhere names. */
const VARIABLE_NAMES = /(^|_)(SECRET|CREDENTIALS?)$|(?<!PUBLIC)_KEY$/;

const NAMING_KEYS =
  /(^|_)(SORT|PARTITION|PRIMARY|FOREIGN|ROUTING|SHARD(ING)?|CACHE|OBJECT|LOOKUP|INDEX|RANGE|HASH|GROUP(ING)?|JOIN|ORDER|DISTRIBUTION|DEDUP(LICATION)?|IDEMPOTENCY|MAP|METADATA|LABEL|ANNOTATION|CONFIG|TAG|HEADER|COLUMN|FIELD|ROW|DOCUMENT|RECORD|STATE|EVENT|MESSAGE|TOPIC|QUEUE|BUCKET|S3|BLOB|FILE|TENANT|LOCK|COUNTER|CONTEXT|TRACE|SESSION|LANGUAGE|TRANSLATION|FEATURE|FLAG|HOT|SHORTCUT|JSON|YAML|DICT)_KEY$/;

export const isCredentialName: (name: string) => boolean = askedOnce((name) => NAMES.test(words(name)));

/**
 * As `isCredentialName`, for environment variables. A bare `…_KEY` with a single-word `value` may
 * name something.
 */
export function isCredentialVariable(name: string, value = ""): boolean {
  const written = words(name);
  return (
    isCredentialName(name) ||
    (VARIABLE_NAMES.test(written) &&
      !NAMING_KEYS.test(written) &&
      !(written.endsWith("_KEY") && /^[a-z]+([._-][a-z]+)+$/.test(value)))
  );
}

/** Absolute path of at least two parts, as secrets are mounted. */
const PATH = /^(\/[A-Za-z0-9._-]+){2,}\/?$/;

/** A literal: not empty, no switch, number, `$REFERENCE` or path of a mounted file. */
export function isLiteral(value: string): boolean {
  const text = value.trim();
  return !/^(|true|false|\d+|\$.*)$/s.test(text) && !PATH.test(text);
}

export interface Word<Place> {
  readonly text: string;
  readonly place: Place;
}

/** `--password=x`, `--password x` and `PASSWORD=x`, as arguments or in a shell script. */
export function credentialsOfCommandLine<Place>(argumentsOf: readonly Word<Place>[]): Place[] {
  const words = argumentsOf.flatMap(({ text, place }) => shellWords(text).map((word) => ({ text: word, place })));
  return words
    .flatMap(({ text, place }, index) => {
      const [, flag, given] = /^--?([A-Za-z][\w-]*)(?:=(.+))?$/s.exec(text) ?? [];
      if (flag !== undefined) {
        const next = words[index + 1];
        const value = given === undefined && next && !next.text.startsWith("-") ? next : { text: given ?? "", place };
        return isCredentialName(flag) && isLiteral(value.text) ? [value.place] : [];
      }
      const [, variable, assigned = ""] = /^([A-Za-z_]\w*)=(.+)$/s.exec(text) ?? [];
      return variable !== undefined && isCredentialVariable(variable, assigned) && isLiteral(assigned) ? [place] : [];
    })
    .concat(programPasswords(words));
}

/**
 * Flags that mean a password to some programs only, and what precedes it in the next word: `curl -u
 * name:password`.
 */
const PROGRAMS: readonly { readonly program: RegExp; readonly flag: RegExp; readonly value: RegExp }[] = [
  {
    program: /^(curl|wget|http|https|xh)$/,
    flag: /^(-u|-U|--user|--proxy-user|-a|--auth)$/,
    value: /^[^:$]+:([^$]+)$/,
  },
  { program: /^(redis-cli|valkey-cli)$/, flag: /^(-a|--pass)$/, value: /^([^$-].*)$/ },
  { program: /^sshpass$/, flag: /^-p$/, value: /^([^$-].*)$/ },
  { program: /^(docker|podman|skopeo|crane|helm)$/, flag: /^(-p|--password)$/, value: /^([^$:]*[^$:\d][^$:]*)$/ },
];

function programPasswords<Place>(words: readonly Word<Place>[]): Place[] {
  return PROGRAMS.flatMap(({ program, flag, value }) => {
    const from = words.findIndex(({ text }) => program.test(text.replace(/^.*\//, "")));
    return words.flatMap(({ text, place }, index) => {
      const [, password] =
        (from !== -1 && index > from + 1 && flag.test(words[index - 1]?.text ?? "") && value.exec(text)) || [];
      return password !== undefined && isLiteral(password) ? [place] : [];
    });
  });
}

function shellWords(text: string): string[] {
  return text
    .replace(/["']/g, "")
    .split(/[\s;|&()`]+/)
    .filter((word) => word !== "");
}

/**
 * Kind of credential in a text; undefined when it looks harmless.
 *
 * @param publicNames names in the text that only look like random keys.
 */
export function credentialIn(text: string, publicNames: readonly string[] = []): string | undefined {
  const known = knownFormatIn(text);
  if (known !== undefined) {
    return known;
  }
  return holdsRandomKey(text) && holdsRandomKey(without(text, publicNames)) ? "a random key" : undefined;
}

export const knownFormatIn: (text: string) => string | undefined = askedOnce(
  (text) => FORMATS.find(({ shortest, pattern }) => text.length >= shortest && pattern.test(text))?.what,
);

/** Characters of the shortest random key: `openssl rand -base64 24`. */
const SHORTEST_KEY = 32;

const holdsRandomKey = askedOnce((text) => {
  if (text.length < SHORTEST_KEY) {
    return false;
  }
  const candidates = text.replace(CERTIFICATES, "").match(/[A-Za-z0-9+/=_-]{32,}/g) ?? [];
  return candidates.some(isRandom);
});

/** Parts of longer words stay. */
function without(text: string, names: readonly string[]): string {
  return names.reduce((rest, name) => {
    const literal = name.replace(/[^A-Za-z0-9]/g, "\\$&");
    return rest.replace(new RegExp(`(?<![A-Za-z0-9])${literal}(?![A-Za-z0-9])`, "g"), " ");
  }, text);
}

const CERTIFICATES = /-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[^-]*-----END \1-----/g;

/** Separators of words in names; base64 has them in one of 32 characters. */
const SEPARATORS = /[/_=-]+/;
/** Shorter words are ignored: A22B or FP8 look random in names as well. */
const SHORTEST_WORD = 6;
/**
 * Characters of a key's longest word and of all its words; models' names have no such mixed word.
 */
const LONGEST_WORD = 12;
const SHORTEST_WORDS = 18;
/** Bits per character above natural language: hexadecimal has at most 4, in both cases more. */
const MINIMUM_ENTROPY = 3.9;
/**
 * Share of neighbours of different classes (upper, lower, digit, other): random base64 about 0.64,
 * identifiers 0.3.
 */
const MINIMUM_CLASS_CHANGES = 0.42;

/**
 * True of a run of letters, digits and separators that looks like a key. Words are judged singly:
 * changes between them prove nothing, as Qwen3-235B-A22B-FP8 changes as often as base64.
 */
function isRandom(candidate: string): boolean {
  const all = candidate.split(SEPARATORS).filter((word) => word !== "");
  const words = isGrouped(all) ? [all.join("")] : all.filter(({ length }) => length >= SHORTEST_WORD);
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one), "");
  const text = words.join("");
  return (
    longest.length >= LONGEST_WORD &&
    text.length >= SHORTEST_WORDS &&
    [/[A-Z]/, /[a-z]/, /[0-9]/].every((pattern) => pattern.test(text)) &&
    classChanges(words) >= MINIMUM_CLASS_CHANGES &&
    classChanges([longest]) >= MINIMUM_CLASS_CHANGES &&
    entropy(text) >= MINIMUM_ENTROPY
  );
}

/** Groups of equal length, or a UUID. */
function isGrouped(words: readonly string[]): boolean {
  const lengths = words.map(({ length }) => length);
  const [first = 0] = lengths;
  return (first >= 5 && words.length >= 4 && new Set(lengths).size === 1) || lengths.join() === "8,4,4,4,12";
}

function classChanges(words: readonly string[]): number {
  const changes = words.map((word) => {
    const classes = [...word].map((character) =>
      [/[A-Z]/, /[a-z]/, /[0-9]/].findIndex((pattern) => pattern.test(character)),
    );
    return classes.filter((value, index) => index > 0 && value !== classes[index - 1]).length;
  });
  const neighbours = words.reduce((sum, { length }) => sum + length - 1, 0);
  return changes.reduce((sum, count) => sum + count, 0) / neighbours;
}

/** Bits per character. */
export function entropy(word: string): number {
  const counts = new Map<string, number>();
  for (const character of word) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return [...counts.values()].reduce((bits, count) => bits - (count / word.length) * Math.log2(count / word.length), 0);
}

/** `apiKey`, `api-key` and `api_key` as `API_KEY`. */
const words = askedOnce((name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase(),
);
