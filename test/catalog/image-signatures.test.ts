import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { charts } from "../../catalog/charts";
import { signatureCommands, signedCharts, signedImages, unverifiedImages } from "../../catalog/image-signatures";
import { images } from "../../catalog/images";
import { repositoryRoot } from "../../names/repository-root";

describe("signatures of images", () => {
  test("every image of the catalogue stands in one row, and no other", () => {
    const listed = [...signedImages, ...unverifiedImages].flatMap((row) => row.images);
    expect([...listed].sort()).toEqual([...new Set(images.map(({ repository }) => repository))].sort());
  });

  test("charts are the catalogue's", () => {
    const names = charts.map(({ name }) => name);
    expect(signedCharts.filter(({ chart }) => !names.includes(chart))).toEqual([]);
  });

  test("commands name the pinned tag and nothing that is to be filled in", () => {
    const commands = signatureCommands().flatMap((row) => row.commands);
    expect(commands.filter((command) => /[{}]/.test(command))).toEqual([]);
    expect(commands.filter((command) => !/ --(key|certificate-oidc-issuer) https:/.test(command))).toEqual([]);
    expect(commands.length).toBeGreaterThanOrEqual(signedImages.flatMap((row) => row.images).length);
  });

  test("the documentation has the commands and the rest, as they are in the catalogue", () => {
    const page = readFileSync(join(repositoryRoot(), "docs", "signatures.md"), "utf8");
    expect(page.match(/<!-- signatures -->\n(.*?)<!-- end -->/s)?.[1]).toBe(documented());
  });
});

function documented(): string {
  const how = [
    ...signedImages,
    ...signedCharts.map((row) => ({ ...row, publisher: `${row.publisher} (chart)`, notes: undefined })),
  ];
  const checked = how.flatMap(({ publisher, source, notes }) => [
    `\n### ${publisher}\n`,
    `Source: ${source}.${notes === undefined ? "" : ` Note: ${notes}.`}\n`,
    "```sh",
    ...signatureCommands()
      .filter((row) => row.publisher === publisher)
      .flatMap((row) => row.commands),
    "```",
  ]);
  const rest = unverifiedImages.map(
    ({ publisher, images: repositories, read }) =>
      `| ${publisher} | ${repositories.map((name) => `\`${name}\``).join(", ")} | ${read} |`,
  );
  return [
    ...checked,
    "\n### Not to be checked\n",
    "| Publisher | Images | What was read |",
    "|---|---|---|",
    ...rest,
    "",
  ]
    .join("\n")
    .concat("\n");
}
