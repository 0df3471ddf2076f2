/**
 * Records what this version of the program leaves behind: `npx tsx test/e2e/upgrade/record.ts <version>`. Each environment
 * is deployed on the real engine and a real control plane, some minutes in all; the states go to test/fixtures.
 */
import { environments } from "../../stacks/run";
import { environmentText } from "../engine/environment-file";
import { TestBed } from "../engine/test-bed";
import { writeRecordedState } from "./recorded-state";

async function record(version: string): Promise<void> {
  for (const environment of environments) {
    const bed = await TestBed.start(environment);
    try {
      await bed.stack.up();
      const deployment = await bed.exportEncrypted();
      writeRecordedState({ version, environment, file: environmentText(environment), deployment });
      console.log(`${environment}: recorded`);
    } finally {
      await bed.stop();
    }
  }
}

const [version] = process.argv.slice(2);
if (version === undefined || !/^\d+(\.\d+)*(-[\w.]+)?$/.test(version)) {
  console.error("Give the version to record, as the folder will be named: npx tsx test/e2e/upgrade/record.ts 0.1.0");
  process.exitCode = 2;
} else {
  void record(version);
}
