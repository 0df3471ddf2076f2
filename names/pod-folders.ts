/** Where an engine's pod has the model's files, copied from the model store. */
export const MODEL_FOLDER = "/models/current";

/** Where else a value may point: what is writable in the pod, and what the image brings. */
export const OTHER_FOLDERS = ["/tmp", "/cache", "/dev/shm", "/usr", "/opt"] as const;
