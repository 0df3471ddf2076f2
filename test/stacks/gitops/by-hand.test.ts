/** Argo CD sets back what an operator changes by hand: a page that scales a part to zero says first how to stop it. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ARGO_CD_CHARTS_NAMESPACE, ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import { shippedText } from "../../../names/shipped-file";

const SECTION = "Changes by hand with Argo CD";
const LINK = "#changes-by-hand-with-argo-cd";

interface Place {
  readonly at: string;
  /** Text of the page's section before the command. */
  readonly before: string;
}

/** Commands that stop a part of the platform while something is replaced. */
const places = readdirSync("docs")
  .filter((name) => name.endsWith(".md"))
  .flatMap((name): Place[] => {
    const text = shippedText(`docs/${name}`);
    return [...text.matchAll(/kubectl[^\n`]* scale [^\n`]*--replicas=0/g)].map(({ index, 0: command }) => {
      const above = text.slice(0, index);
      return { at: `${name}: ${command}`, before: above.slice(above.lastIndexOf("\n#")) };
    });
  });

describe("commands that scale a part of the platform to zero", () => {
  it("are there: of the chat page, Envoy Gateway and Valkey", () => {
    expect(places.length).toBeGreaterThanOrEqual(3);
  });

  it.each(places)("$at comes after the link to what stops Argo CD", ({ before }) => {
    expect(before).toContain(LINK);
  });
});

describe("what stops Argo CD", () => {
  const section = shippedText("docs/operations.md").split(`\n## ${SECTION}\n`)[1]?.split("\n## ")[0] ?? "";
  const [stop = "", resume = ""] = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
  const namespacesOf = (block: string) => [...block.matchAll(/ -n (\S+) --all/g)].map(([, namespace]) => namespace);

  it("is for the Applications of both namespaces: first the one that applies the others, and last on the way back", () => {
    expect(namespacesOf(stop)).toEqual([ARGO_CD_NAMESPACE, ARGO_CD_CHARTS_NAMESPACE]);
    expect(namespacesOf(resume)).toEqual([ARGO_CD_CHARTS_NAMESPACE, ARGO_CD_NAMESPACE]);
    expect(stop.match(/skip-reconcile=true$/gm)).toHaveLength(2);
    expect(resume.match(/skip-reconcile-$/gm)).toHaveLength(2);
  });
});
