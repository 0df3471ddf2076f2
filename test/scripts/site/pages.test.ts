/** Pages of the documentation, as GitHub shows them and as the site has them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { repositoryRoot } from "../../../names/repository-root";
import { scripts } from "../../../package.json";
import { policies } from "../../../policies/all";
import { referencePages } from "../../../scripts/reference";
import { COMMANDS_PAGE } from "../../../scripts/reference/commands";
import { targetOf } from "../../../scripts/site/links";
import {
  anchorsOf,
  firstParagraph,
  githubSlug,
  linksOf,
  replaceLinks,
  withoutFences,
} from "../../../scripts/site/markdown";
import { INDEX, type Page, readPages } from "../../../scripts/site/pages";
import { linkTo, sidebarLinks, sidebarOf } from "../../../scripts/site/sidebar";
import { pageText } from "../../../scripts/site/stage";
import { subjectsOf } from "../../../scripts/site/subjects";
import { certificateChallenge } from "../../../stacks/advice/certificate-challenge";
import { sourceFiles } from "../../architecture/imports";
import { planText, refusalsOf } from "../../stacks/planned";
import { yamlBlocks } from "../../stacks/texts";

const root = repositoryRoot();
const OPTION = /(?<![\w-])--[a-z][a-z-]*/g;
const pages = readPages(root);
const all = [...pages.values()];

const page = (source: string, text: string): Page => ({
  source,
  path: source.replace(/^docs\//, ""),
  title: "T",
  text,
});
const few = new Map([page("docs/a.md", "# A"), page("docs/b/README.md", "# B")].map((each) => [each.source, each]));

describe("pages", () => {
  it("link to pages, headings and files that exist", () => {
    const dead = all.flatMap(({ source, text }) =>
      linksOf(text).flatMap(({ href }) => {
        const target = targetOf(href, source, pages);
        if (href.split("#").length > 2) {
          return [`${source}: ${href}`];
        }
        const exists =
          target.kind === "elsewhere" ||
          (target.kind === "file"
            ? existsSync(join(root, target.path))
            : target.anchor === "" || anchorsOf(target.page.text).includes(target.anchor));
        return exists ? [] : [`${source}: ${href}`];
      }),
    );
    expect(dead).toEqual([]);
  });

  it("have YAML that parses, also within lists", () => {
    const wrong = all.flatMap(({ source, text }) =>
      yamlBlocks(text).flatMap((block) =>
        parseAllDocuments(block).flatMap(({ errors }) => errors.map(({ message }) => `${source}: ${message}`)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("are all in the sidebar, which docs/README.md is made into", () => {
    const links = sidebarLinks(sidebarOf(pages));
    const orphans = all.filter(({ source }) => source !== INDEX).filter((each) => !links.includes(linkTo(each)));
    expect(orphans.map(({ source }) => source)).toEqual([]);
    expect(links).toEqual([...new Set(links)]);
  });

  it("have a title, and begin with what a reader gets from them, in at most 60 words", () => {
    // A decision and a review begin with what was decided or found, however long.
    const long = (source: string) => /^docs\/(decisions|reviews)\//.test(source);
    const wrong = all.filter(({ source, title, text }) => {
      const words = firstParagraph(text).split(/\s+/).filter(Boolean).length;
      return title === "" || words === 0 || (words > 60 && !long(source));
    });
    expect(wrong.map(({ source }) => source)).toEqual([]);
  });

  it("have a text in each header cell of a table, and headings that skip no level, which screen readers announce", () => {
    const wrong = all.flatMap(({ source, text }) => {
      const prose = withoutFences(text);
      const headers = [...prose.matchAll(/^\|(.*)\|\n\|(?: *:?-+:? *\|)+$/gm)].map(([, cells = ""]) => cells);
      const levels = [...prose.matchAll(/^(#{1,6}) /gm)].map(([, marks = ""]) => marks.length);
      return [
        ...headers.filter((cells) => cells.split(/(?<!\\)\|/).some((cell) => cell.trim() === "")),
        ...levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1).map((level) => "#".repeat(level)),
      ].map((found) => `${source}: ${found}`);
    });
    expect(wrong).toEqual([]);
  });

  it("of the reference are current: npm run reference", () => {
    const made = referencePages();
    for (const [path, text] of made) {
      expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
    }
    const kept = all
      .filter(({ text }) => text.includes("by npm run reference. Do not edit."))
      .map(({ source }) => source);
    expect([...made.keys(), COMMANDS_PAGE].sort()).toEqual(kept.sort());
  });

  describe("docs/refusals.md", () => {
    const rules = [
      ...(pages.get("docs/refusals.md")?.text ?? "").matchAll(/^\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \|/gm),
    ].flatMap(([, names = ""]) => names.replaceAll("`", "").split(", "));
    const texts = sourceFiles()
      .filter((file) => /^(names|planner|stacks)\//.test(file))
      .map((file) => readFileSync(join(root, file), "utf8"))
      .join("\n");
    const constants = new Map(
      [...texts.matchAll(/const ([A-Z_]+) = "([a-z0-9-]+)"/g)].map(([, name, rule]) => [name, rule]),
    );

    it("explains rules that exist", () => {
      const known = new Set([
        ...[...texts.matchAll(/rule: "([a-z0-9-]+)"/g)].map(([, rule]) => rule),
        ...constants.values(),
        ...policies.map(({ name }) => name),
      ]);
      expect(rules.length).toBeGreaterThan(10);
      expect(rules.filter((rule) => !known.has(rule))).toEqual([]);
    });

    it("explains every rule that refuses a plan", () => {
      const refusing = [...texts.matchAll(/severity: "mandatory"(?: as const)?,\s+rule: ("[a-z0-9-]+"|[A-Z_]+),/g)].map(
        ([, rule = ""]) => constants.get(rule) ?? rule.replaceAll('"', ""),
      );
      expect(refusing.length).toBeGreaterThan(20);
      expect(refusing.filter((rule) => !rules.includes(rule))).toEqual([]);
    });
  });

  // Reports of a day and the changelog quote commands as they were.
  const commands = all
    .filter(({ source }) => !/^(CHANGELOG\.md|docs\/(reviews|decisions)\/)/.test(source))
    .flatMap(({ source, text }) => text.split("\n").map((line) => ({ source, line })));

  it("run scripts that exist, with options that their help has", () => {
    const help = new Map(
      (pages.get(COMMANDS_PAGE)?.text ?? "")
        .split(/^## /m)
        .map((section) => [/^`?([a-z-]+)/.exec(section)?.[1], new Set(section.match(OPTION))] as const),
    );
    const runs = commands.flatMap(({ source, line }) =>
      [...line.matchAll(/npm run (?:-s )?([a-z][a-z0-9:-]*)(?: -- ([^`#|&;]*))?/g)].map(
        ([run, script = "", rest = ""]) => ({
          at: `${source}: ${run}`,
          isScript: Object.hasOwn(scripts, script),
          unknown: (rest.match(OPTION) ?? []).filter((option) => help.get(script)?.has(option) === false),
        }),
      ),
    );
    expect(runs.length).toBeGreaterThan(200);
    expect(runs.filter(({ isScript, unknown }) => !isScript || unknown.length > 0)).toEqual([]);
  });

  it("name the programs of their commands before they use them", () => {
    // Not of every computer, unlike curl and git.
    const programs = [
      "jq",
      "yq",
      "openssl",
      "mc",
      "crane",
      "helm",
      "oras",
      "cosign",
      "aws",
      "az",
      "gcloud",
      "oci",
      "gh",
    ];
    const unnamed = all
      .filter(({ source }) => !/^(CHANGELOG\.md|docs\/(reviews|decisions)\/)/.test(source))
      .flatMap(({ source, text }) =>
        [...text.matchAll(/^ *```(?:sh|bash)\n(.*?)^ *```$/gms)].flatMap(({ 1: block = "", index }) => {
          const before = text.slice(0, index).replace(/^ *```.*?^ *```$/gms, "");
          return programs
            .filter((program) => new RegExp(`(?:^|[|(;&] *|xargs )${program} `, "m").test(block.replace(/^ +/gm, "")))
            .filter((program) => !new RegExp(`(?<![\\w-])${program}(?![\\w-])`, "i").test(before))
            .map((program) => `${source}: ${program}`);
        }),
      );
    expect([...new Set(unnamed)]).toEqual([]);
  });

  it("keep the environment's file where they remove a stack", () => {
    const removing = commands.filter(({ line }) => /pulumi stack rm\b/.test(line));
    expect(removing.length).toBeGreaterThan(2);
    expect(removing.filter(({ line }) => !/pulumi stack rm\b[^`#&]*--preserve-config/.test(line))).toEqual([]);
  });

  it("deploy with the policies, without which pulumi up does not refuse what the plan refuses", () => {
    // Repairs with other options take what was deployed already.
    const deploying = commands.filter(({ line }) =>
      /pulumi up (-s|--stack) [\w<>-]+( --policy-pack| *$| *[#`&])/.test(line),
    );
    expect(deploying.length).toBeGreaterThan(10);
    expect(deploying.filter(({ line }) => !line.includes("--policy-pack policies"))).toEqual([]);
  });

  const recipesOf = (source: string) =>
    [...(pages.get(source)?.text ?? "").matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);

  it.each([
    ["docs/own-environment.md", 3],
    ["README.md", 1],
  ])("suggest environments that plan, and get the certificate that they ask for: %s", async (source, count) => {
    const recipes = recipesOf(source);
    expect(recipes).toHaveLength(count);
    for (const text of recipes) {
      const { plan, environment } = await planText(text);
      expect(refusalsOf(plan)).toEqual([]);
      expect(certificateChallenge({ environment })).toEqual([]);
    }
  });
});

describe("the sidebar", () => {
  const index = page(INDEX, "# D\n\n## Start\n\n- [A](a.md): first\n\n## More\n\n- [B](b/README.md)");
  const sidebarWith = (...others: readonly Page[]) =>
    sidebarOf(new Map([index, ...few.values(), ...others].map((each) => [each.source, each])));

  it("has the index's sections and links, and the pages of a folder below its README", () => {
    expect(sidebarWith(page("docs/b/c.md", "# C"))).toEqual([
      { text: "Start", link: "/contents#start", collapsed: true, items: [{ text: "A", link: "/a" }] },
      {
        text: "More",
        link: "/contents#more",
        collapsed: true,
        items: [{ text: "B", link: "/b/README", collapsed: true, items: [{ text: "T", link: "/b/c" }] }],
      },
    ]);
  });
});

describe("subjects of a page", () => {
  it("are the words of list items and rows that link to it, with the term of the row", () => {
    const index = page(INDEX, "# D\n\n- [A](a.md): first · [B](b/README.md), second\n\nSee [A](a.md) again.");
    const glossary = page(
      "docs/glossary.md",
      "# G\n\n| Term | Meaning |\n|---|---|\n| HPA, KEDA | scales ([`a`](a.md#x)) |",
    );
    expect(subjectsOf(new Map([index, glossary, ...few.values()].map((each) => [each.source, each])))).toEqual({
      "/a": "A: first · HPA, KEDA `a`) |",
      "/b/README": "B, second",
    });
  });
});

describe("links of the site", () => {
  const linked = (href: string, repository?: string) =>
    pageText(page("docs/x/y.md", `see [\`it\`](${href}) now`), few, repository);

  it("lead to pages by address, and to files by the repository's URL", () => {
    expect(linked("../a.md#b")).toBe("see [`it`](/a#b) now");
    expect(linked("../b/")).toBe("see [`it`](/b/README) now");
    expect(linked("../../planner/plan.ts", "https://git.example/p")).toBe(
      "see [`it`](https://git.example/p/blob/main/planner/plan.ts) now",
    );
    expect(linked("https://a.example/b.md")).toBe("see [`it`](https://a.example/b.md) now");
  });

  it("are text where the repository has no URL", () => {
    expect(linked("../../planner/plan.ts")).toBe("see `it` now");
  });

  it("are left alone in code", () => {
    const text = "a `[x](y.md)` b\n\n```md\n[x](y.md)\n```\n";
    expect(replaceLinks(text, () => "!")).toBe(text);
  });
});

describe("anchors", () => {
  it("are GitHub's: punctuation goes, words are parted by hyphens, a second heading is numbered", () => {
    expect(githubSlug("The first `up` with `--target`")).toBe("the-first-up-with---target");
    expect(anchorsOf("# A b\n\n```sh\n# no heading\n```\n\n## C, d?\n\n## C, d?\n")).toEqual(["a-b", "c-d", "c-d-1"]);
  });
});

describe("the first paragraph", () => {
  it("is what follows the title and its comments, without markup", () => {
    expect(firstParagraph("# T\n\n<!-- made -->\n\nOne [two](x.md)\n`three`.\n\nFour.")).toBe("One two\nthree.");
  });

  it.each(["## Next", "| a |", "```sh\na\n```", "- a", "![a](b.svg)"])(
    "is none where the page begins with %s",
    (start) => {
      expect(firstParagraph(`# T\n\n${start}\n`)).toBe("");
    },
  );
});
