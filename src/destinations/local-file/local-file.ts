/** Files in a folder of the installation's own: the destination that needs nothing else. */
import path from 'node:path';
import { DestinationRejected, InvalidInput } from '../../errors.ts';
import { Type, type Static } from '../../schema.ts';
import type { DestinationEnvironment } from '../environment.ts';
import { defineDestination } from '../define.ts';
import { checkFileFormat, fileProperties } from '../object-store/config.ts';
import { allNames, checkPrefix, namesOf } from '../object-store/keys.ts';
import { fileSession } from '../object-store/session.ts';
import { tryUpload } from '../object-store/try-upload.ts';
import { folderQuota } from './quota.ts';
import { localStore } from './store.ts';

const LocalFileConfig = Type.Object(
  {
    directory: Type.String({
      minLength: 1,
      title: 'Directory',
      description: 'Folder below the project’s export folder; made when it does not exist.',
    }),
    ...fileProperties,
  },
  { additionalProperties: false },
);

type LocalFileConfig = Static<typeof LocalFileConfig>;

/** The project's own folder comes first, so keys are paths below the export root and no project reaches another's. */
function folderOf(config: LocalFileConfig, projectId: number): string {
  const folders = [checkPrefix(config.directory, 'directory'), checkPrefix(config.prefix)];
  return [String(projectId), ...folders.filter((folder) => folder !== '')].join('/');
}

function placeOf({ localRoot, localQuotaMb }: DestinationEnvironment, projectId: number) {
  if (localRoot !== undefined) {
    const root = path.resolve(localRoot);
    return { root, quota: folderQuota(path.join(root, String(projectId)), localQuotaMb) };
  }
  throw new DestinationRejected('This installation has no folder for local exports (EXPORT_LOCAL_ROOT).');
}

export const localFile = defineDestination<LocalFileConfig>({
  type: 'LocalFile',
  title: 'Local files',
  delivery: 'effectively_once',
  takes: 'files',
  config: LocalFileConfig,
  checkFirst: checkFileFormat,
  secretsGoTo: [],
  async validate(config) {
    if (checkPrefix(config.directory, 'directory') === '') throw new InvalidInput('May not be blank.', 'directory');
    checkPrefix(config.prefix);
  },
  keySpace: (config, projectId) => `local:${folderOf(config, projectId)}`,
  steps: [
    {
      name: 'Check files can be written',
      description: 'Ensure that the folder can be made and a file be written in it. No file stays.',
      async run(config, { projectId, model, environment, signal }) {
        const store = localStore({ ...placeOf(environment, projectId), epoch: 0, signal });
        await tryUpload(store, folderOf(config, projectId), model);
      },
    },
  ],
  names: (config, delivery) => allNames(namesOf(folderOf(config, delivery.projectId), delivery), delivery.parts),
  async open(config, delivery, context, environment) {
    const place = placeOf(environment, delivery.projectId);
    const store = localStore({ ...place, epoch: delivery.epoch, signal: context.signal });
    return fileSession({ store, names: namesOf(folderOf(config, delivery.projectId), delivery), delivery, context });
  },
});
