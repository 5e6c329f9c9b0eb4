-- Layout 21: sizes that the work of a training's steps hangs on.

ALTER TABLE runs ADD COLUMN sizes TEXT NOT NULL DEFAULT '';             -- as JSON, see profile.Size; '' where they stay or are not known
