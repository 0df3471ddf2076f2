import type { PoolPlan } from "../../../../planner/types";
import { type BootPart, bootFile, bootScript, bootText } from "./boot-part";

const UNIT = "inference-stacks-local-disks.service";
const NOTHING: BootPart = { files: [], commands: [] };

/** What nodes do about their local disks, before and after they join. */
export interface LocalDisksParts {
  readonly before: BootPart;
  readonly after: BootPart;
}

/**
 * The kubelet's folder on the local disks, made by a unit at every boot: at the first by us, and before the machine joins.
 * What joining writes into that folder is kept for the next boot.
 */
export function localDisksParts({ localDisks }: Pick<PoolPlan, "localDisks">): LocalDisksParts {
  if (!localDisks) {
    return { before: NOTHING, after: NOTHING };
  }
  const script = bootScript("local-disks.sh");
  const unit = bootFile(`/etc/systemd/system/${UNIT}`, bootText("local-disks.service"));
  return {
    before: {
      files: [script, unit],
      commands: [
        ["systemctl", "daemon-reload"],
        ["systemctl", "enable", "--now", UNIT],
      ],
    },
    after: { files: [], commands: [["bash", script.path, "keep"]] },
  };
}
