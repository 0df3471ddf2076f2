import { COMMANDS, runCommand } from "../../cli/main";
import { markdownTable } from "../../stacks/config/markdown-table";
import { code, page } from "./page";

/** Its test is that of the commands, which has loaded every one. */
export const COMMANDS_PAGE = "docs/reference/commands.md";

/** What `--help` of each command prints. */
export async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const name of Object.keys(COMMANDS)) {
    sections.push(`## ${name}\n\n\`\`\`text\n${(await helpOf(name)).trim()}\n\`\`\``);
  }
  const rows = Object.entries(COMMANDS).map(([name, { purpose }]) => [`[${code(name)}](#${name})`, purpose]);
  return page(
    "Commands",
    "the help of each command",
    "Every command with its options and exit status. Run one as `npm run <command> -- [options]`, or as `npx inference-stacks <command> [options]`, which prints nothing of npm's own.",
    markdownTable(["Command", "For"], rows),
    ...sections,
  );
}

async function helpOf(name: string): Promise<string> {
  const lines: string[] = [];
  await runCommand([name, "--help"], {
    out: (text) => lines.push(text),
    err: (text) => lines.push(text),
    color: false,
  });
  return lines.join("");
}
