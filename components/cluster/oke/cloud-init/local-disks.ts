import type { PoolPlan } from "../../../../planner/types";
import { type BootPart, bootFile, bootScript, bootText } from "./boot-part";

const UNIT = "inference-stacks-local-disks.service";
const NOTHING: BootPart = { files: [], commands: [] };

/** Local disk setup, before and after joining. */
export interface LocalDisksParts {
  readonly before: BootPart;
  readonly after: BootPart;
}

/**
 * Puts the kubelet's folder on the local disks: before the machine joins, and by a unit at later
 * boots. Files that joining writes there are kept.
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
