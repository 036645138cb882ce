/** Fields for a distinct ID, its groups, and properties that override the stored ones. */
import { useQuery } from '@tanstack/react-query';
import { Button } from '../../../look/button.tsx';
import { TextField } from '../../../look/field.tsx';
import { groupTypesQuery } from '../../flags-data.ts';
import { groupTypeIndexOf, type Filters } from '../../words/conditions.ts';
import { PropertyRows } from './property-rows.tsx';
import { lacksKey, NO_GROUP, type Group, type Subject } from './subject.ts';
import styles from './who-gets-it.module.css';

type SubjectFieldsProps = {
  projectId: number;
  /** The flag's filters; their group types have fields from the start. Others can be added, for flags that this flag depends on. */
  filters: Filters;
  subject: Subject;
  onChange: (subject: Subject) => void;
};

export function SubjectFields({ projectId, filters, subject, onChange }: SubjectFieldsProps) {
  const { data: types = [] } = useQuery(groupTypesQuery(projectId));
  const used = new Set((filters.groups ?? []).map((set) => groupTypeIndexOf(set, filters)));
  const isShown = (type: string, index: number) => subject.groups[type] !== undefined || used.has(index);
  const setGroup = (type: string, group: Group) =>
    onChange({ ...subject, groups: { ...subject.groups, [type]: group } });
  const shown = types.filter((groupType) => isShown(groupType.group_type, groupType.group_type_index));
  const others = types.filter((groupType) => !shown.includes(groupType));
  return (
    <>
      <TextField
        label="Distinct ID"
        value={subject.distinctId}
        onChange={(distinctId) => onChange({ ...subject, distinctId })}
      />
      <PropertyRows properties={subject.properties} onChange={(properties) => onChange({ ...subject, properties })} />
      {types.length === 0 && (
        <p className="quiet">
          A flag can also be about groups, such as companies. Their fields appear here once the project has a group
          type, which the first event with $groups makes.
        </p>
      )}
      {shown.map(({ group_type: type }) => (
        <GroupFields
          key={type}
          type={type}
          group={subject.groups[type] ?? NO_GROUP}
          onChange={(group) => setGroup(type, group)}
        />
      ))}
      {others.map(({ group_type: type }) => (
        <Button key={type} kind="quiet" onPress={() => setGroup(type, NO_GROUP)}>
          + Group {type}
        </Button>
      ))}
    </>
  );
}

type GroupFieldsProps = { type: string; group: Group; onChange: (group: Group) => void };

function GroupFields({ type, group, onChange }: GroupFieldsProps) {
  return (
    <div role="group" aria-label={`Group ${type}`} className={styles.group}>
      <TextField
        label={`${type[0]?.toUpperCase()}${type.slice(1)} key`}
        value={group.key}
        onChange={(key) => onChange({ ...group, key })}
        error={lacksKey(group) ? 'A group is named by its key.' : undefined}
      />
      <PropertyRows
        groupType={type}
        properties={group.properties}
        onChange={(properties) => onChange({ ...group, properties })}
      />
    </div>
  );
}
