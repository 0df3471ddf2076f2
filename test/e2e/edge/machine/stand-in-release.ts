/**
 * Before a program that a command line runs (`node --import`): it takes the stand-ins for k3s's release, as `standInCatalog`
 * has programs of this process do.
 */
import table from "../../../../catalog/k3s.json";
import { RELEASE, sha256 } from "./release";

table.installer.sha256 = sha256(RELEASE.installer);
for (const { binary, images } of Object.values(table.architectures)) {
  binary.sha256 = sha256(RELEASE.binary);
  images.sha256 = sha256(RELEASE.images);
}
