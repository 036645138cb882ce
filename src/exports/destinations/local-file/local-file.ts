/** Files in a folder of the installation; needs no other service. */
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import { InvalidInput } from '../../../platform/errors.ts';
import { Type, type Static } from '../../../platform/schema.ts';
import type { DestinationEnvironment } from '../environment.ts';
import { defineDestination, addGroup } from '../define.ts';
import {
  checkFileFormat,
  FILE_PROMISES,
  folderPattern,
  FORMER_FILE_CONFIG,
  layoutOf,
  fileProperties,
} from '../object-store/config.ts';
import { withModel } from '../key-space.ts';
import type { Subject } from '../contract.ts';
import { allNames, checkDirectory, checkPrefix, namesOf, type ObjectNames } from '../object-store/keys.ts';
import { listDeliveriesIn } from '../object-store/deliveries.ts';
import { fileSession } from '../object-store/session.ts';
import { testUpload } from '../object-store/try-upload.ts';
import { removeEmptyFolders } from './empty-folders.ts';
import { localFileFault } from './faults.ts';
import { folderQuota } from './quota.ts';
import { localStore } from './store.ts';

const LocalFileConfig = Type.Object(
  {
    ...addGroup('place', {
      directory: Type.String({
        minLength: 1,
        title: 'Directory',
        examples: ['orders'],
        description: 'A folder within the project’s export folder; created if it does not exist.',
      }),
    }),
    ...fileProperties,
  },
  { additionalProperties: false },
);

type LocalFileConfig = Static<typeof LocalFileConfig>;

/** The project's own folder comes first, so keys are paths below the export root and no project reaches another's. */
function folderOf(config: LocalFileConfig, projectId: number): string {
  const folders = [checkDirectory(config.directory), folderPattern(config)];
  return [String(projectId), ...folders.filter((folder) => folder !== '')].join('/');
}

/** Omits the operator's root, so moving the root does not change places. */
function folderPlace(config: LocalFileConfig, { projectId, model }: Subject): string {
  return `local:${withModel(folderOf(config, projectId), model)}`;
}

type NamedDelivery = Parameters<typeof namesOf>[1] & { projectId: number };

/** The file systems of macOS and Windows do not distinguish capital letters. */
function localNames(config: LocalFileConfig, delivery: NamedDelivery): ObjectNames {
  return namesOf(folderOf(config, delivery.projectId), delivery, layoutOf(config), 'unsure');
}

function storageOf({ localRoot, localQuotaMb, localFileMode }: DestinationEnvironment, projectId: number) {
  if (localRoot !== undefined) {
    const root = path.resolve(localRoot);
    return { root, fileMode: localFileMode, quota: folderQuota(path.join(root, String(projectId)), localQuotaMb) };
  }
  throw localFileFault('local_files_off');
}

export const localFile = defineDestination<LocalFileConfig>({
  type: 'LocalFile',
  title: 'Local files',
  promises: FILE_PROMISES,
  takes: 'files',
  config: LocalFileConfig,
  checkBeforeSchema: checkFileFormat,
  legacyDefaults: FORMER_FILE_CONFIG,
  secretsGoTo: [],
  async validate(config) {
    if (checkDirectory(config.directory) === '') throw new InvalidInput('May not be blank.', 'directory');
    checkPrefix(config.prefix);
  },
  place: folderPlace,
  keySpace: folderPlace,
  label: ({ directory, prefix }) => [directory, prefix].filter(Boolean).join('/').replace(/\/$/, ''),
  steps: [
    {
      name: 'Check files can be written',
      description:
        'Ensure that the folder can be created and a file can be written to it. No file or new folder is left behind.',
      async run(config, { projectId, model, environment, signal }) {
        const made: string[] = [];
        const store = localStore({
          ...storageOf(environment, projectId),
          place: folderPlace(config, { projectId, model }),
          epoch: 0,
          signal,
          onFolderMade: (folder) => made.unshift(folder),
        });
        try {
          await testUpload(store, folderOf(config, projectId), model);
        } finally {
          // A folder that a delivery uses meanwhile is not empty, and stays.
          for (const folder of made) await rmdir(folder).catch(() => {});
        }
      },
    },
  ],
  names: (config, delivery) => allNames(localNames(config, delivery), delivery.parts),
  async *listDeliveries(config, subject, environment, signal) {
    const { projectId, model } = subject;
    const store = localStore({
      ...storageOf(environment, projectId),
      place: folderPlace(config, subject),
      epoch: 0,
      signal,
    });
    yield* listDeliveriesIn(store, folderOf(config, projectId), model);
  },
  async open(config, delivery, context, environment) {
    const storage = storageOf(environment, delivery.projectId);
    const store = localStore({
      ...storage,
      place: folderPlace(config, delivery),
      epoch: delivery.epoch,
      signal: context.signal,
    });
    const names = localNames(config, delivery);
    const session = fileSession({ store, names, delivery, context });
    return {
      ...session,
      async discard() {
        const keptIds = await session.discard();
        const { events } = delivery;
        await removeEmptyFolders(storage.root, folderOf(config, delivery.projectId), { names, events });
        return keptIds;
      },
    };
  },
});
