/** `npm run package`: makes the npm package in dist/package. */
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { buildPackage } from "./build";

buildPackage(join(repositoryRoot(), "dist/package"));
