import type { useMe } from '../../session/me.ts';
import type { PresentKey } from '../../keys/keys.ts';

type Me = ReturnType<typeof useMe>;

export type Entry = {
  id: string;
  name: string;
  detail?: string;
  /** Address to open; absent: the entry runs an action. */
  href?: string;
  run?: () => void;
};

/** Keys for moving on a page, which are useless in the palette. */
const MOVING = new Set(['j', 'k', 'x', '/', 'Escape']);

export function actionsOf(keys: readonly PresentKey[]): Entry[] {
  return keys
    .filter(({ key }) => !MOVING.has(key) && !key.startsWith('g '))
    .flatMap(({ key, does, run }) =>
      run ? [{ id: `key ${key}`, name: does, detail: key, run: () => run(new KeyboardEvent('keydown', { key })) }] : [],
    );
}

export function pagesOf(projectId: number | undefined): Entry[] {
  const inProject = projectId === undefined ? [] : PROJECT_PAGES;
  return [
    ...inProject.map(([name, path]) => ({ id: path, name, href: `/project/${projectId}/${path}` })),
    ...PAGES.map(([name, href]) => ({
      id: href,
      name,
      href: projectId === undefined ? href : `${href}?project=${projectId}`,
    })),
  ];
}

/** @returns the other projects, by organization where there are several */
export function projectsOf(me: Me, projectId: number | undefined): Entry[] {
  const nameOf = new Map(me.organizations.map(({ id, name }) => [id, name]));
  return me.projects
    .filter(({ id }) => id !== projectId)
    .map(({ id, name, organization }) => ({
      id: `project ${id}`,
      name,
      ...(nameOf.size > 1 && { detail: nameOf.get(organization) ?? '' }),
      href: `/project/${id}/exports`,
    }));
}

const PROJECT_PAGES = [
  ['Exports', 'exports'],
  ['New export', 'exports/new'],
  ['Flags', 'flags'],
  ['Dashboards', 'dashboards'],
  ['Events', 'events'],
  ['Project settings', 'settings'],
] as const;

const PAGES = [
  ['Your keys', '/settings/keys'],
  ['Members and invites', '/settings/members'],
  ['Sessions', '/settings/sessions'],
] as const;

export const matches = ({ name }: Entry, searchText: string): boolean =>
  name.toLowerCase().includes(searchText.toLowerCase());
