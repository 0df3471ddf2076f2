import { processIo } from "../../cli/io";
import { main } from "./main";

// Where nothing is left to wait for, Node ends at once: that is no success, for only the end of `main` is.
process.exitCode = 1;
void main(process.argv.slice(2), processIo()).then((status) => {
  // Servers of the test bed may leave handles behind; nothing is left to do once all is written.
  process.stdout.write("", () => process.exit(status));
});
