/**
 * `npm run docs`: builds the documentation site into dist/site/html; with `--open` serves it on this computer.
 *
 * The pages are the Markdown that GitHub shows; nothing of the site is committed but this folder.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repositoryRoot } from "../../names/repository-root";
import { stage } from "./stage";

const USAGE = `Usage: npm run docs -- [options]

Builds the documentation site into dist/site/html: static files for any web server, with local search.

  --open               then serve it at http://localhost:4173, until Ctrl-C
  --port <port>        of --open (4173)
  --base <path>        path that the site is served under (/)
  --repository <url>   for links to source files (the remote "origin", if it is on the web)
  -h, --help           this text
`;

export const SITE = "dist/site";

export async function buildSite(settings: {
  readonly base: string;
  readonly repository: string | undefined;
}): Promise<void> {
  const root = repositoryRoot();
  const pages = join(root, SITE, "pages");
  stage(root, pages, settings);
  const { build } = await import("vitepress");
  await build(pages);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      open: { type: "boolean", default: false },
      port: { type: "string", default: "4173" },
      base: { type: "string", default: "/" },
      repository: { type: "string", default: originUrl() },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  await buildSite({ base: values.base, repository: values.repository });
  process.stdout.write(`${SITE}/html\n`);
  if (values.open) {
    const { serve } = await import("vitepress");
    await serve({ root: join(repositoryRoot(), SITE, "pages"), base: values.base, port: Number(values.port) });
  }
}

/** The web address of the remote `origin`. @default undefined where there is none */
function originUrl(): string | undefined {
  try {
    const url = execFileSync("git", ["remote", "get-url", "origin"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, host, path] = /^(?:https:\/\/|git@)([\w.-]+)[:/]([\w./-]+?)(?:\.git)?\s*$/.exec(url) ?? [];
    return host === undefined ? undefined : `https://${host}/${path}`;
  } catch {
    return undefined;
  }
}

if (process.argv[1] === __filename) {
  void main();
}
