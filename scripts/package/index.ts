/** `npm run package`: makes the npm package in dist/package. */
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { buildPackage } from "./build";
import { writeTypes } from "./types";

const folder = join(repositoryRoot(), "dist/package");
buildPackage(folder);
writeTypes(folder);
