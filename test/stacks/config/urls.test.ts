/** Every URL of an environment is one that people and programs read alike. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isVisible } from "../../../names/visible";
import { alertSecrets } from "../../../stacks/addons/observability/alerts-config";
import { text, url } from "../../../stacks/config/core/sections/fields";
import { environmentFileSchema } from "../../../stacks/config/json-schema";

interface Place {
  readonly path: string;
  readonly isUrl: boolean;
  /** Whether the patterns of the place let a text pass, all of them. */
  readonly takes: (given: string) => boolean;
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

function patternsOf({ pattern, allOf }: Node): RegExp[] {
  const parts = Array.isArray(allOf) ? allOf.filter(isNode).flatMap(patternsOf) : [];
  return typeof pattern === "string" ? [new RegExp(pattern, "u"), ...parts] : parts;
}

function placesIn(node: unknown, path: string): Place[] {
  if (!isNode(node)) {
    return [];
  }
  const patterns = patternsOf(node);
  const isUrl = node.format === "uri";
  const takes = (given: string) => patterns.every((pattern) => pattern.test(given));
  const own = patterns.length > 0 || isUrl ? [{ path, isUrl, takes }] : [];
  return [
    ...own,
    ...Object.entries(node).flatMap(([key, child]) => (key === "allOf" ? [] : placesIn(child, `${path}/${key}`))),
  ];
}

const places = placesIn(environmentFileSchema(), "");
const urls = places.filter(({ isUrl }) => isUrl);
/** Controls, separators of lines, marks of direction: none may stand in a text of an environment. */
const UNSEEN = ["\u0000", "\t", "\n", "\u001b", "\u007f", "\u0085", "\u2028", "\u061c", "\u200e", "\u202e", "\u2066"];
/** Besides, nothing that is no character of a URL. */
const NO_URL = [...UNSEEN, " ", "\u00a0", "\u200b", "\ufeff", "\u{e0041}", "\\", '"', "<", "`", "é", "а"];

describe("URLs of the schema", () => {
  it("are found: of receivers, workers, tokens and stores", () => {
    expect(urls.length).toBeGreaterThan(12);
    expect(urls.filter(({ path }) => path.endsWith("proxyUrl")).length).toBeGreaterThanOrEqual(4);
  });

  it.each(urls.map(({ path, takes }) => [path.split("/").slice(-5).join("/"), takes] as const))(
    "%s takes no character that is not of a URL",
    (_, takes) => {
      expect(takes("https://user@example.com:8443/a/%C3%A9;b?c=[d]&e=~f#g")).toBe(true);
      expect(NO_URL.filter((character) => takes(`https://example.com/${character}a`))).toEqual([]);
    },
  );

  it("and all other texts with a pattern take no line break, control or mark of direction", () => {
    const begins = ["a", "https://a.b/", "a:1", "a/b/"];
    const open = places.filter(({ takes }) =>
      UNSEEN.some((character) => begins.some((begin) => takes(`${begin}${character}a`))),
    );
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  it("are refused with anything invisible in them, wherever it stands", () => {
    const type = url({ protocol: /^https?$/ });
    fc.assert(
      fc.property(fc.nat(0x10ffff), fc.nat(19), (code, at) => {
        const character = String.fromCodePoint(code);
        const given = "https://example.com/";
        const changed = given.slice(0, at) + character + given.slice(at);
        expect(isVisible(character) || !type.safeParse(changed).success).toBe(true);
      }),
    );
    for (const given of ["https:example.com", "https:/example.com", "https:\\\\example.com", "https:///example.com "]) {
      expect(type.safeParse(given).success).toBe(false);
    }
    expect(alertSecrets.alertSlackUrl.safeParse("https://hooks.example.com/\u202ea").success).toBe(false);
    expect(type.safeParse("https://example.com:8443/a?b#c").success).toBe(true);
    expect(text().safeParse("gpt-oss \u202e").success).toBe(false);
  });
});
