/** Dashboards from built-in templates: buttons for an empty page, and a menu for the list. */
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../look/button.tsx';
import { Actions } from '../look/dialog.tsx';
import { MenuButton } from '../look/menu/menu.tsx';
import { Failure } from '../look/notes.tsx';
import { dashboardListQuery, makeFromTemplate } from './dashboards-data.ts';

/** Templates by the API's names; `name` is that of the dashboards made from it. */
const TEMPLATES = [
  {
    template: 'DEFAULT_APP',
    name: 'Product analytics',
    label: 'Product dashboard',
    description: 'How many people use a product, and whether they return.',
  },
  {
    template: 'WEBSITE_TRAFFIC',
    name: 'Website traffic',
    label: 'Website dashboard',
    description: 'How many people visit, where they come from, and what they read.',
  },
] as const;

type Template = (typeof TEMPLATES)[number];

/** The first name of the template's that no dashboard has, such as `Product analytics 2`. */
async function freeName(projectId: number, name: string, queries: QueryClient): Promise<string> {
  const taken = new Set<string | null>();
  for (let page = 1, isLast = false; !isLast; page += 1) {
    const { results, next } = await queries.fetchQuery(dashboardListQuery(projectId, { search: name, page }));
    for (const one of results) taken.add(one.name);
    isLast = next === null;
  }
  let number = 1;
  const named = () => (number === 1 ? name : `${name} ${number}`);
  while (taken.has(named())) number += 1;
  return named();
}

/** A request that makes a dashboard from the named template and opens it. */
export function useTemplates(projectId: number) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ template, name }: Template) =>
      makeFromTemplate(projectId, template, await freeName(projectId, name, queries)),
    async onSuccess({ id }) {
      await navigate({ to: '/project/$projectId/dashboards/$dashboardId', params: { projectId, dashboardId: id } });
      await queries.invalidateQueries({ queryKey: ['dashboards', projectId, 'list'] });
    },
  });
}

export function FromTemplate({ projectId }: { projectId: number }) {
  const making = useTemplates(projectId);
  return (
    <>
      <Actions>
        {TEMPLATES.map((one, index) => (
          <Button
            key={one.template}
            kind={index === 0 ? 'primary' : 'plain'}
            isPending={making.isPending && making.variables === one}
            isDisabled={making.isPending}
            onPress={() => making.mutate(one)}
          >
            Create a {one.label.toLowerCase()}
          </Button>
        ))}
      </Actions>
      {making.isError && <Failure error={making.error} />}
    </>
  );
}

export function NewDashboard({ making }: { making: ReturnType<typeof useTemplates> }) {
  return (
    <MenuButton
      label="New dashboard"
      kind="primary"
      isPending={making.isPending}
      actions={Object.fromEntries(TEMPLATES.map((one) => [one.label, () => making.mutate(one)]))}
      descriptions={Object.fromEntries(TEMPLATES.map(({ label, description }) => [label, description]))}
    />
  );
}
