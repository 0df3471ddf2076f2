// Preloaded into measured processes: writes what the process used to file descriptor 3 as it ends.
const { existsSync, readFileSync, writeSync } = require("node:fs");

/** Bytes. */
function peakRss() {
  // Linux carries maxRSS over from the process that started this one; the high-water mark of the memory map it does not.
  const status = "/proc/self/status";
  const [, kibibytes] = (existsSync(status) && /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))) || [];
  return 1024 * (kibibytes === undefined ? process.resourceUsage().maxRSS : Number(kibibytes));
}

process.on("exit", () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(3, JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakRssBytes: peakRss() }));
});
