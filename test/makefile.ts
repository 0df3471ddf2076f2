import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../names/repository-root";

export const makefile = readFileSync(join(repositoryRoot(), "Makefile"), "utf8");
const phony = /^\.PHONY: (.*)$/m.exec(makefile)?.[1]?.split(" ") ?? [];
/** What can be asked of make by name. */
export const targets = phony.filter((name) => name !== "help");
