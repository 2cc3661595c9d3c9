\set twice :size * 2
SELECT 'given', :twice, ':word', :size + 0.5;
