import { basename, join } from "node:path";
import { z } from "zod";
import type { IamStatement } from "../../../components/cluster/eks/iam-document";
import type { Finding } from "../linters/finding";
import { lintJsonLines, lintText } from "../linters/run-linter";
import { type IamDocument, titleOf, writeDocuments } from "./documents";

export const IAM_LINTERS = ["parliament", "cloudsplaining"] as const;
export type IamLinter = (typeof IAM_LINTERS)[number];

type Lint = (documents: readonly IamDocument[], folder: string) => Promise<Finding<IamLinter>[]>;

const findingSchema = z.object({
  issue: z.string(),
  title: z.string(),
  detail: z.unknown(),
  location: z.object({ filepath: z.string(), actions: z.array(z.string()).default([]) }),
});
const detailsSchema = z.array(z.object({ action: z.string() }));

/** With the checks of its community. A finding about actions is one for each of them, so that exceptions name them. */
const parliament: Lint = async (documents, folder) => {
  const files = writeDocuments(documents.map(asRights), folder);
  const args = ["--directory", ".", "--json", "--include-community-auditors"];
  const findings = z.array(findingSchema).parse(await lintJsonLines("parliament", args, folder));
  return findings.flatMap(({ issue, title, detail, location }) => {
    const file = basename(location.filepath);
    const about = [...new Set(subjects(detail, location.actions))];
    const checks = about.length > 0 ? about.map((subject) => `${issue} ${subject}`) : [issue];
    return checks.map((check) => ({
      ...finding("parliament", check, documentIn(files, file), file),
      message: `${title}: ${JSON.stringify(detail)}`,
    }));
  });
};

/** What a finding is about: actions, or the key of a condition. */
function subjects(detail: unknown, actions: readonly string[]): readonly string[] {
  const details = detailsSchema.safeParse(detail);
  if (details.success) {
    return details.data.map(({ action }) => action);
  }
  const [, condition] = (typeof detail === "string" && /^Unknown condition (\S+)/.exec(detail)) || [];
  return condition === undefined ? actions : [condition];
}

/** It reads trust as rights, which name what they are on: with that it looks at who, what and when. */
function asRights(document: IamDocument): IamDocument {
  if (document.kind !== "trust") {
    return document;
  }
  const { Version, Statement }: { Version: string; Statement: IamStatement[] } = JSON.parse(document.text);
  return {
    ...document,
    text: JSON.stringify({ Version, Statement: Statement.map((statement) => ({ ...statement, Resource: ["*"] })) }),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it colours its words, whoever reads them
const COLOURS = /\u001b\[\d+m/g;
const FOUND = /^Potential Issue found: Policy is capable of (?<what>.+)$/gm;

/** It knows rights alone: trust and policies of things are none. */
const cloudsplaining: Lint = async (documents, folder) => {
  const files = writeDocuments(
    documents.filter(({ kind }) => kind === "rights"),
    folder,
  );
  const findings = [...files].map(async ([file, document]) => {
    const args = ["scan-policy-file", "--input-file", join(folder, file)];
    const text = (await lintText("cloudsplaining", args, folder)).replaceAll(COLOURS, "");
    const found = [...text.matchAll(FOUND)].map(({ groups }) => groups?.what ?? "");
    if (found.length === 0 && !text.includes("There were no results found.")) {
      throw new Error(`cloudsplaining says of ${file}: ${text}`);
    }
    return found.map((check) => ({ ...finding("cloudsplaining", check, document, file), message: text }));
  });
  return (await Promise.all(findings)).flat();
};

export const lintIam: Readonly<Record<IamLinter, Lint>> = { parliament, cloudsplaining };

function finding(linter: IamLinter, check: string, document: IamDocument, file: string) {
  return { linter, check, environment: "aws-prod", object: titleOf(document), file };
}

function documentIn(files: ReadonlyMap<string, IamDocument>, file: string): IamDocument {
  const document = files.get(file);
  if (document === undefined) {
    throw new Error(`a finding about ${file}, which is no document`);
  }
  return document;
}
