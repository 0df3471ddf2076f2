import { askedOnce } from "./asked-once";
import { isCredentialName, isCredentialVariable, isLiteral } from "./credentials";

/**
 * Credentials in a text of any language: assignments of a shell or an `.env` file (`export
 * TOKEN=x`), settings of YAML, JSON and property files (`password: x`), and flags (`--password x`).
 * Code and prose use the same names: their values count only with letters and digits.
 */
export const holdsCredential: (text: string) => boolean = askedOnce(
  (text) => text.length >= SHORTEST && (assignments(text) || settings(text) || flags(text) || known(text)),
);

const SHORTEST = 10;
const MARKS = /[$<>{}()[\]*]|^(\/|\.{1,2}\/|https?:)/;

const ASSIGNMENT =
  /^[ \t]*(?:export[ \t]+|set[ \t]+-x[ \t]+|ENV[ \t]+|-[ \t]+)?([A-Z][A-Z0-9_]*)=(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;"'&|]+))/gm;
const SETTING = /(?:^|[\s"'{,;])["']?([A-Za-z][\w.-]*)["']?[ \t]*[:=][ \t]*["']?([^\s"',;]+)/gm;
const FLAG = /(?:^|\s)--?([A-Za-z][\w-]*)(?:=|[ \t]+)["']?([^\s"']+)/gm;

/** Known credential syntax: Valkey's settings and users, what Prometheus and Alertmanager send. */
const KNOWN: readonly RegExp[] = [
  /^[ \t]*(?:requirepass|masterauth|primaryauth|tls-(?:client-)?key-file-pass)[ \t]+["']?([^\s"']+)/gim,
  /^[ \t]*user[ \t]+\S+[ \t](?:[^\n]*[ \t])?>([^\s]+)/gm,
  /\bauthorization["']?\s*:[\s{"']*(?:type["']?\s*:\s*["']?\w+["']?[\s,"']*)?credentials["']?\s*:\s*["']?([^\s"',}]+)/gi,
];

function known(text: string): boolean {
  return KNOWN.some((pattern) =>
    [...text.matchAll(pattern)].some(([, value = ""]) => isLiteral(value) && !MARKS.test(value)),
  );
}

/** In shell assignments the name suffices. */
function assignments(text: string): boolean {
  return [...text.matchAll(ASSIGNMENT)].some(([, name = "", ...values]) => {
    const value = values.find((each) => each !== undefined) ?? "";
    return isCredentialVariable(name, value) && value.length >= 6 && isLiteral(value) && !MARKS.test(value);
  });
}

function settings(text: string): boolean {
  return [...text.matchAll(SETTING)].some(([, name = "", value = ""]) => isSetting(name) && looksLikeOne(value));
}

/** `authorization:` is followed by a scheme's name; credentials after it have known forms. */
function isSetting(name: string): boolean {
  return isCredentialName(name) && !/authorization$/i.test(name);
}

function flags(text: string): boolean {
  return [...text.matchAll(FLAG)].some(([, name = "", value = ""]) => isCredentialName(name) && looksLikeOne(value));
}

function looksLikeOne(value: string): boolean {
  return value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value) && isLiteral(value) && !MARKS.test(value);
}
